import type { Peers } from "./connection.ts";
import type { Shell } from "./shell.ts";

/** Calls the running service; what it refuses is thrown as a FilemillError. The client is loaded only then. */
export async function askService<T>(shell: Shell, ask: (peers: Peers) => Promise<T>): Promise<T> {
  const connection = await import("./connection.ts");
  return connection.askService(shell, ask);
}
