/** Process names that show, where that is certain, that their process is dead. Certainty is only possible on Linux. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

const randomBytesCount = 6;
const identity = /-([0-9a-f]{16})-([1-9]\d{0,9})-(\d{1,20})-[0-9a-f]{12}$/;

/**
 * A new name for this process, made of letters, digits, `-` and `_`: host, the place where its process id is valid, that id, its start
 * time, and random digits. If a part is unavailable: host and random digits.
 */
export function nameProcess(): string {
  const host = hostname().replace(/[^A-Za-z0-9_-]/g, "-");
  const random = randomBytes(randomBytesCount).toString("hex");
  const place = placeHere();
  const start = startOf(process.pid);
  if (place === undefined || start === undefined) return `${host}-${random}`;
  return `${host}-${place}-${process.pid}-${start}-${random}`;
}

/**
 * Whether the process with that name (see `nameProcess`) is certainly dead. A zombie is dead. In case of doubt false: for a process on
 * another host, boot or container, for a paused one, and for anything that is no such name.
 */
export function isGone(name: string): boolean {
  const [, place, number, start] = identity.exec(name) ?? [];
  if (place === undefined || place !== placeHere()) return false;
  const pid = Number(number);
  if (!isAlive(pid)) return true;
  const present = statOf(pid);
  return present !== undefined && (present.isDead || present.start !== start);
}

/** Whether there is a process with that id, or a zombie. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error is about an existing process.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/**
 * When a process was started, in clock ticks since boot. This distinguishes it from a later process with the same id. Undefined for a dead
 * process, and without /proc.
 */
export function startOf(pid: number): string | undefined {
  const present = statOf(pid);
  return present?.isDead === false ? present.start : undefined;
}

function statOf(pid: number): { readonly start: string; readonly isDead: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name may contain spaces and brackets. The fields after the last bracket do not.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", start] = [fields[0], fields[19]];
    return start === undefined ? undefined : { start, isDead: /^[ZXx]$/.test(state) };
  } catch {
    return undefined;
  }
}

let here: { readonly place: string | undefined } | undefined;

/**
 * Identifies the host, the boot and the namespaces of process ids and of the clock. Two processes with the same place see each other under
 * the same ids.
 */
function placeHere(): string | undefined {
  here ??= { place: lookHere() };
  return here.place;
}

function lookHere(): string | undefined {
  try {
    // The /proc of an outer namespace shows this process under several ids, and its own ids belong to other processes there.
    const numbers = /^NSpid:\s*(.*)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    if (numbers !== String(process.pid)) return undefined;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const place = [hostname(), boot, readlinkSync("/proc/self/ns/pid"), clockNamespace()].join("\n");
    return createHash("sha256").update(place).digest("hex").slice(0, 16);
  } catch {
    return undefined;
  }
}

/** Empty before Linux 5.6, which has no clock namespaces. */
function clockNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch {
    return "";
  }
}
