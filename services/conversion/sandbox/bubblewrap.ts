/** Launches programs with bubblewrap: namespaces, seccomp, and an end that no process inside survives. */
import type { ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { FilemillError } from "#contract/errors.ts";
import type { Launch } from "./process-tree.ts";
import { commandOf, hostBindsOf, namespaceArgsOf, type Recipe } from "./recipe.ts";
import { treeOf } from "./usage.ts";

const bwrap = "/usr/bin/bwrap";

/**
 * Finds the tools once and returns a function that turns recipes into launches. `hostFiles`: see copyHostFiles; `mark`: see orphans.ts.
 *
 * @throws FilemillError UNAVAILABLE with the package to install.
 */
export function createBubblewrapLauncher(seccompProgram: string, hostFiles: string | undefined, mark: string): (recipe: Recipe) => Launch {
  for (const [tool, from] of [
    [bwrap, "bubblewrap"],
    ["/usr/bin/prlimit", "util-linux"],
    ["/usr/bin/setpriv", "util-linux"],
  ] as const) {
    try {
      accessSync(tool, constants.X_OK);
    } catch {
      throw new FilemillError("UNAVAILABLE", `The sandbox needs ${tool}: install the package ${from}.`);
    }
  }
  const hostBinds = hostBindsOf(hostFiles);
  return (recipe) => ({
    launcher: bwrap,
    name: mark,
    args: ["--args", "3", "--seccomp", "4", "--json-status-fd", "5", "--", ...commandOf(recipe)],
    settings: namespaceArgsOf(recipe, hostBinds).join("\0") + "\0",
    seccompProgram,
    // Written only for a program that was really started, which distinguishes a failed set-up from a failed program.
    startedBy: (status) => status.includes('"exit-code"'),
    end: killTree,
  });
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  // The second process is pid 1 inside. It dies with the first once it has requested that from the kernel.
  const init = treeOf(child.pid)[1];
  // Until then it is in the first one's process group. The kernel kills a group as a whole, including processes being started in it. Left
  // alone, it would wait forever for the first one, and so would whoever reads its output.
  for (const target of init === undefined ? [-child.pid] : [-child.pid, init]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // Already gone.
    }
  }
}
