import { FilemillError } from "#contract/errors.ts";

/** The error of a server that cannot listen where its settings say. `setting` is the name of the port's setting. */
export function cannotListen(
  setting: string,
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
): FilemillError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  const message = `Cannot listen on ${setting} ${port} of ${host}: ${reasons[code] ?? `the system refuses it (${code}).`}`;
  return new FilemillError("UNAVAILABLE", message, { cause });
}

const noAddress = "this machine has no such address.";
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it. Stop that program or choose another port.",
  EACCES: "this user may not. Choose a port from 1024 on.",
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};
