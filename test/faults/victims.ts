/** Processes to kill or pause, by role, as they currently run. */
import { readFileSync } from "node:fs";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import type { Dice } from "#test/fuzz/mutate.ts";
import type { Deployment } from "./deployment.ts";

export const roles = ["gateway", "worker", "peer", "broker", "sandbox parent", "engine", "inspector"] as const;
export type Role = (typeof roles)[number];

/** A process with that role; undefined if there is none at the moment. */
export async function victimOf(deployment: Deployment, role: Role, dice: Dice): Promise<number | undefined> {
  switch (role) {
    case "gateway":
      return deployment.gateway.pid;
    case "worker":
      return deployment.worker.pid;
    case "peer": {
      const peers = deployment.keepers.filter(
        (each) => each !== deployment.gateway && each !== deployment.worker && each.name !== "broker",
      );
      return oneOf(
        peers.flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
        dice,
      );
    }
    case "broker":
      return deployment.brokerPid();
    default:
      return oneOf(sandboxed(deployment, role), dice);
  }
}

function oneOf<T>(items: readonly T[], dice: Dice): T | undefined {
  return items[dice.below(items.length)];
}

/** bubblewrap itself, one process outside and one inside; and what runs in it. */
function sandboxed({ worker, gateway }: Deployment, role: Role): number[] {
  const starters = [...new Set([worker.pid, gateway.pid])].filter((pid) => pid !== undefined);
  return starters.flatMap((pid) => treeOf(pid)).filter((pid) => !starters.includes(pid) && roleOf(pid) === role);
}

function roleOf(pid: number): Role | undefined {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
    if (name === "nats-server" || name === "sync") return undefined;
    if (name === "bwrap") return "sandbox parent";
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("inspect") ? "inspector" : "engine";
  } catch {
    return undefined;
  }
}
