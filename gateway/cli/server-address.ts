/** Which server to call, and with which key. */
import type { Command } from "commander";
import { FilemillError } from "#contract/errors.ts";
import type { Shell } from "./shell.ts";

export type ServerFlags = { readonly server?: string };
export type ServerAddress = { readonly url: URL; readonly key: string | undefined };

/** Adds `--server`. The key is never an argument, because other users of the machine could read it. */
export function withServer(command: Command): Command {
  return command.option("--server <url>", "URL of a Filemill server (default: FILEMILL_SERVER); the key is read from FILEMILL_API_KEY");
}

/** Undefined if neither the flag nor FILEMILL_SERVER names a server. @throws FilemillError BAD_REQUEST if it is not a URL. */
export function serverAddressOf({ server }: ServerFlags, { env }: Shell): ServerAddress | undefined {
  const text = server ?? env.FILEMILL_SERVER;
  if (text === undefined || text === "") return undefined;
  const url = URL.parse(text.endsWith("/") ? text : `${text}/`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FilemillError("BAD_REQUEST", "The server's address must be a URL such as https://files.example.org.");
  }
  return { url, key: env.FILEMILL_API_KEY || undefined };
}

/** @throws FilemillError BAD_REQUEST if no server is named. */
export function needServerAddress(flags: ServerFlags, shell: Shell): ServerAddress {
  const address = serverAddressOf(flags, shell);
  if (address !== undefined) return address;
  throw new FilemillError("BAD_REQUEST", "Set the server: --server URL, or FILEMILL_SERVER.");
}
