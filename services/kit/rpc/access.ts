/** Who may call the internal services: anyone with the token, except web pages. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { join, resolve } from "node:path";
import type { HandlerContext } from "@connectrpc/connect";
import { FilemillError, toConnectError } from "#contract/errors.ts";
import { ensureSecret, readSecret } from "../secret-file.ts";
import type { Settings } from "../settings.ts";

type TokenSettings = Pick<Settings, "DATA_DIR" | "RPC_TOKEN">;

/** RPC_TOKEN, otherwise the token of this installation, which the first start creates. Rejects with a SettingError. */
export function ensureRpcToken({ DATA_DIR, RPC_TOKEN }: TokenSettings): Promise<string> {
  return RPC_TOKEN === undefined ? ensureSecret(tokenFileOf(DATA_DIR)) : Promise.resolve(RPC_TOKEN);
}

/**
 * For a caller in another process. Undefined if no service ever started on that DATA_DIR. Rejects with INVALID_RPC_TOKEN if it may not read
 * the token.
 */
export async function findRpcToken({ DATA_DIR, RPC_TOKEN }: TokenSettings): Promise<string | undefined> {
  if (RPC_TOKEN !== undefined) return RPC_TOKEN;
  return readSecret(tokenFileOf(DATA_DIR)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EACCES") throw cause;
    throw new FilemillError("INVALID_RPC_TOKEN", "Only the user that Filemill runs as can read its token: run this as that user.", {
      cause,
    });
  });
}

/** Returns a check that throws for a call without the token. */
export function gateOf(token: string): (context: Pick<HandlerContext, "requestHeader">) => void {
  const expected = digestOf(token);
  return ({ requestHeader }) => {
    const given = /^bearer +(\S+)$/i.exec(requestHeader.get("authorization") ?? "")?.[1] ?? "";
    if (timingSafeEqual(digestOf(given), expected)) return;
    throw toConnectError(
      new FilemillError(
        "INVALID_RPC_TOKEN",
        "The internal services need their token: share DATA_DIR with them, or set the same RPC_TOKEN.",
      ),
    );
  };
}

/** Whether a browser sent this request for a page. Browsers set one of these headers, even for GET, and no other client does. */
export function isFromPage(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
}

function tokenFileOf(dataDir: string): string {
  return join(resolve(dataDir), "rpc-token");
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
