/** Joins modules into files by esbuild, whose own process goes with the last build that is under way. */
import type { BuildOptions, BuildResult } from "esbuild";

let underWay = 0;

/** Rejects when a module has an error, which in a whole checkout none has. */
export async function bundled<O extends BuildOptions>(options: O): Promise<BuildResult<O>> {
  // Here and not above: most of what a process does has no use for it.
  const { build, stop } = await import("esbuild");
  underWay += 1;
  try {
    return await build(options as never);
  } catch (error) {
    // Somebody ended its process, as the kernel does when memory is short.
    if (!(error instanceof Error && error.message.includes("The service was stopped"))) throw error;
    await stop();
    return await build(options as never);
  } finally {
    underWay -= 1;
    // It would keep 40 MB for a next build, which does not come.
    if (underWay === 0) await stop();
  }
}
