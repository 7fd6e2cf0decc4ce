/** Records that this host's sandbox held, so that not every command and every start waits for an attack on it (decisions 75 and 88). */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../domain/sandbox.ts";

export type AttackMemory = {
  /** An attack within this time, by default the last day, failed, and nothing that the sandbox depends on has changed since. */
  hasHeld(mode: Sandbox["mode"], withinMs?: number): boolean;
  /** If this cannot be written, the next start attacks again. */
  held(mode: Sandbox["mode"]): void;
  /** After an attack that succeeded or could not be made. */
  forget(mode: Sandbox["mode"]): void;
};

/** Some kernel settings can change without a trace, so no record is valid for longer. */
const longestMs = 24 * 3_600_000;

/** @param file - Where this is stored, with the mode appended. @param firstUid - See SandboxSettings. */
export function openAttackMemory(file: string, firstUid: number): AttackMemory {
  const state = stateOf(firstUid);
  return {
    hasHeld(mode, withinMs = longestMs) {
      try {
        const path = `${file}.${mode}`;
        const ageMs = Date.now() - statSync(path).mtimeMs;
        return state !== undefined && ageMs >= 0 && ageMs < withinMs && readFileSync(path, "utf8") === state;
      } catch {
        return false;
      }
    },
    held(mode) {
      if (state === undefined) return;
      const path = `${file}.${mode}`;
      try {
        writeFileSync(`${path}.new`, state, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // A full disk is no reason not to convert.
      }
    },
    forget(mode) {
      rmSync(`${file}.${mode}`, { force: true });
    },
  };
}

const tools = ["/usr/bin/bwrap", "/usr/bin/prlimit", "/usr/bin/setpriv", "/usr/bin/python3", process.execPath];
const namespaces = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];

/** Undefined if the kernel does not provide it. */
function stateOf(firstUid: number): string | undefined {
  const hash = createHash("sha256");
  try {
    // For a sandbox, another boot, container, user or set of privileges is another host.
    hash.update(`${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")} ${release()} ${process.getuid?.()} ${process.getgid?.()}\n`);
    hash.update(namespaces.map((name) => readlinkSync(`/proc/self/ns/${name}`)).join());
    hash.update(
      readFileSync("/proc/self/status", "utf8")
        .match(/^(Cap|NoNewPrivs|Seccomp).*$/gm)
        ?.join() ?? "",
    );
    hash.update(`${profileOf()} ${firstUid}\n`);
  } catch {
    return undefined;
  }
  const folder = import.meta.dirname;
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  for (const path of [...tools, ...sources]) {
    const found = statSync(path, { throwIfNoEntry: false });
    hash.update(`${path} ${found?.size} ${found?.mtimeMs} ${found?.ino}\n`);
  }
  return hash.digest("hex");
}

/** The profile of AppArmor or SELinux; empty for a kernel without either. */
function profileOf(): string {
  try {
    return readFileSync("/proc/self/attr/current", "utf8");
  } catch {
    return "";
  }
}
