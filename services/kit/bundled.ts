/** Bundles modules with esbuild. Its process ends with the last build in progress. */
import type { BuildOptions, BuildResult } from "esbuild";

let underWay = 0;

/** Rejects if a module has an error, which does not happen in a complete checkout. */
export async function bundled<O extends BuildOptions>(options: O): Promise<BuildResult<O>> {
  // Imported here because most processes never need it.
  const { build, stop } = await import("esbuild");
  underWay += 1;
  try {
    return await build(options as never);
  } catch (error) {
    // Something killed esbuild's process, as the kernel does when memory is short.
    if (!(error instanceof Error && error.message.includes("The service was stopped"))) throw error;
    await stop();
    return await build(options as never);
  } finally {
    underWay -= 1;
    // It would keep 40 MB for another build that never comes.
    if (underWay === 0) await stop();
  }
}
