/** Launches by bubblewrap: namespaces, seccomp, and an end that no process inside survives. */
import type { ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { FilemillError } from "#contract/errors.ts";
import type { Launch } from "./process-tree.ts";
import { commandOf, hostBindsOf, namespaceArgsOf, type Recipe } from "./recipe.ts";
import { treeOf } from "./usage.ts";

const bwrap = "/usr/bin/bwrap";

/**
 * Looks the tools up once and returns what makes a launch of a recipe. `hostFiles`: see copyHostFiles; `mark`: see orphans.ts.
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
    // Written only for a program that was really started, so a failed set-up is told from a failed program.
    startedBy: (status) => status.includes('"exit-code"'),
    end: killTree,
  });
}

function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  // The second one is pid 1 inside; it dies with the first once it has asked for that.
  const init = treeOf(child.pid)[1];
  // Before, it is in the group of the first, and the kernel ends a group whole, also what is being started in it. Alone it would
  // wait for ever for a word of the first, and whoever reads what it says would wait for it.
  for (const target of init === undefined ? [-child.pid] : [-child.pid, init]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
}
