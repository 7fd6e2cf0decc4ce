import type { Library } from "./library.ts";
import type { ServerAddress } from "./server-address.ts";
import type { Shell } from "./shell.ts";

export type Conversions = AsyncDisposable & Pick<Library, "convert" | "formats" | "route">;

/** Converts on the named server, otherwise in this process. Loads only the code it needs. */
export async function openConversions(server: ServerAddress | undefined, shell: Shell): Promise<Conversions> {
  if (server === undefined) return shell.openLibrary();
  const { openRemote } = await import("./remote.ts");
  return { ...openRemote(server), [Symbol.asyncDispose]: async () => undefined };
}
