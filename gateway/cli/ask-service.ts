import type { Peers } from "./connection.ts";
import type { Shell } from "./shell.ts";

/** Calls the running service. Throws its errors as FilemillError. Loads the client only on a call. */
export async function askService<T>(shell: Shell, ask: (peers: Peers) => Promise<T>): Promise<T> {
  const connection = await import("./connection.ts");
  return connection.askService(shell, ask);
}
