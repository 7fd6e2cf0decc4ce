/** How to connect to an external NATS server or cluster. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Authenticator, type ConnectionOptions, credsAuthenticator } from "nats";
import { brokerUsers, inboxPrefixOf } from "#contract/grants.ts";
import { SettingError } from "../config.ts";

export type Cluster = {
  /** nats:// or tls:// URLs separated by commas. */
  readonly url: string;
  /** Replicas of each stream created here. Undefined: as many as there are servers, at most three. */
  readonly replicas?: number | undefined;
  /** File with a user's JWT and its key. */
  readonly credentials?: string | undefined;
  /** PEM files: the CA of the servers, and this client's own certificate with its key. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
};

/** Timeout for one server that does not answer at all. */
const connectLimitMs = 10_000;

/** @throws SettingError that names the file that cannot be read or is invalid. */
export async function clusterOptions({ url, credentials, ca, certificate, key }: Cluster): Promise<ConnectionOptions> {
  const urls = url.split(",").map((text) => new URL(text.trim()));
  // The client reads credentials from its options only, not from the URL.
  const user = decodeURIComponent(urls[0]?.username ?? "");
  const pass = decodeURIComponent(urls[0]?.password ?? "");
  const named = user === "" ? {} : pass === "" ? { token: user } : { user, pass };
  const creds = await contentOf("NATS_CREDS", credentials);
  const [caText, certText, keyText] = await Promise.all([
    contentOf("NATS_CA", ca),
    contentOf("NATS_CERT", certificate),
    contentOf("NATS_KEY", key),
  ]);
  const isSecure = urls.some(({ protocol }) => protocol === "tls:") || (caText ?? certText) !== undefined;
  const tls = {
    ...(caText && { ca: caText.toString() }),
    ...(certText && { cert: certText.toString() }),
    ...(keyText && { key: keyText.toString() }),
  };
  return {
    servers: urls.map(({ host }) => host),
    ...(creds === undefined ? named : { authenticator: authenticatorOf(creds, credentials) }),
    ...inboxOf(user),
    ...(isSecure ? { tls } : {}),
    timeout: connectLimitMs,
  };
}

export function inboxOf(user: string): { readonly inboxPrefix?: string } {
  const isService = brokerUsers.some((each) => each === user);
  return isService ? { inboxPrefix: inboxPrefixOf(user) } : {};
}

function authenticatorOf(content: Buffer, path = ""): Authenticator {
  try {
    const authenticator = credsAuthenticator(content);
    // Parses the key, as each connection does.
    authenticator("nonce");
    return authenticator;
  } catch (cause) {
    throw new SettingError(`NATS_CREDS names ${path}, which does not hold the credentials of a NATS user.`, { cause });
  }
}

async function contentOf(setting: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  return readFile(resolve(path)).catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(`${setting} names ${path}, which cannot be read (${cause.code ?? "unknown"}).`, { cause });
  });
}
