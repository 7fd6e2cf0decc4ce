/**
 * Launches programs without namespaces: Landlock for files, seccomp without sockets, a reaper for the tree. Weaker, so only used on
 * request.
 */
import type { ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { fileURLToPath } from "node:url";
import { FilemillError } from "#contract/errors.ts";
import { placedBy } from "./placed.ts";
import type { Launch } from "./process-tree.ts";
import type { Recipe } from "./recipe.ts";
import { treeOf } from "./usage.ts";

const python = "/usr/bin/python3";
const helper = fileURLToPath(new URL("./landlock.py", import.meta.url));
const maxPasses = 100;

/**
 * @param mark - See orphans.ts.
 * @throws FilemillError UNAVAILABLE without Python.
 */
export function createLandlockLauncher(seccompProgram: string, mark: string): (recipe: Recipe) => Launch {
  try {
    accessSync(python, constants.X_OK);
  } catch {
    throw new FilemillError("UNAVAILABLE", `The degraded sandbox needs ${python}: install the package python3.`);
  }
  return (recipe) => ({
    launcher: python,
    args: ["-I", "-S", helper, mark],
    settings: JSON.stringify(settingsOf(recipe)),
    seccompProgram,
    startedBy: (status) => status.includes('"exit-code"'),
    end: killTree,
  });
}

/** Without a mount namespace, the paths /job and so on in recipes are replaced by those on the host. */
function settingsOf(recipe: Recipe) {
  const { folder, identity, limits } = recipe;
  if (folder === undefined) throw new FilemillError("INTERNAL", "The degraded sandbox needs a folder.");
  const placed = placedBy([...Object.entries(recipe.readOnly).map(([host, inside]) => [inside, host] as const), ["/job", folder]]);
  const env = { PATH: "/usr/bin", HOME: "/job", TMPDIR: "/job", LANG: "C.UTF-8", TZ: "UTC", ...recipe.env };
  return {
    ...limits,
    parent: process.pid,
    folder,
    uid: identity.kind === "slot" ? identity.uid : null,
    readable: Object.keys(recipe.readOnly),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, placed(value)])),
    program: placed(recipe.program),
    args: recipe.args.map(placed),
  };
}

/** The helper adopts every orphan, so all remaining processes are always below it. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  for (let pass = 0; pass < maxPasses; pass++) {
    const left = treeOf(child.pid).slice(1);
    if (left.length === 0) break;
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Already gone.
      }
    }
  }
  child.kill("SIGTERM");
}
