import type { GatewayDeps } from "#gateway/context.ts";
import { createSeal } from "./seal.ts";

/** Which link it is; whether it works is in the record of its job. */
export type LinkName = { readonly accountId: string; readonly jobId: string; readonly linkId: string };

export type LinkTokens = {
  /** The part of an address that stands for the link; another one each time, and all of them work. */
  tokenOf(name: LinkName): string;
  /** Undefined for what was not made here. */
  nameOf(token: string): LinkName | undefined;
};

/** Addresses tell neither the account nor the job, and none can be made elsewhere: what is guessed reaches no record. */
export function createLinkTokens({ deviceKey }: Pick<GatewayDeps, "deviceKey">): LinkTokens {
  const { seal, open } = createSeal(deviceKey, "filemill result links", 512);
  return {
    tokenOf: ({ accountId, jobId, linkId }) => seal([accountId, jobId, linkId]),
    nameOf(token) {
      const opened = open(token);
      if (!Array.isArray(opened)) return undefined;
      const [accountId, jobId, linkId]: unknown[] = opened;
      return typeof accountId === "string" && typeof jobId === "string" && typeof linkId === "string"
        ? { accountId, jobId, linkId }
        : undefined;
    },
  };
}
