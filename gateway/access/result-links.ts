import type { GatewayDeps } from "#gateway/context.ts";
import { createSeal } from "./seal.ts";

/** Identifies a share link. Whether it still works is in its job's record. */
export type LinkName = { readonly accountId: string; readonly jobId: string; readonly linkId: string };

export type LinkTokens = {
  /** The part of the URL that stands for the link. It differs on every call, and all of them work. */
  tokenOf(name: LinkName): string;
  /** Undefined for a token that was not created here. */
  nameOf(token: string): LinkName | undefined;
};

/** Tokens reveal neither account nor job and cannot be forged, so a guessed one never reaches a record. */
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
