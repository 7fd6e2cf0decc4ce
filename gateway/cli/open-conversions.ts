import type { Library } from "./library.ts";
import type { ServerAddress } from "./server-address.ts";
import type { Shell } from "./shell.ts";

export type Conversions = AsyncDisposable & Pick<Library, "convert" | "formats" | "route">;

/** By the server that was named, else in this process. What either needs is loaded only then. */
export async function openConversions(server: ServerAddress | undefined, shell: Shell): Promise<Conversions> {
  if (server === undefined) return shell.openLibrary();
  const { openRemote } = await import("./remote.ts");
  return { ...openRemote(server), [Symbol.asyncDispose]: async () => undefined };
}
