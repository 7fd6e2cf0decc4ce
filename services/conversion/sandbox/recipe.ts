/** What a sandboxed process sees, as arguments of bubblewrap. Every unusual line here was needed against a real attack. */
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxLimits } from "../domain/sandbox.ts";
import { sharedPaths } from "./host-files.ts";

/** The user that the program runs as: its own one if Filemill is root, otherwise nobody in a user namespace. */
export type Identity = { readonly kind: "namespace" } | { readonly kind: "slot"; readonly uid: number };

export type Recipe = {
  readonly identity: Identity;
  readonly limits: SandboxLimits;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Host folder that becomes /job. Undefined: an empty one in memory. */
  readonly folder: string | undefined;
  readonly readOnly: Readonly<Record<string, string>>;
};

const shmBytes = 64 * 2 ** 20;
const reservedBytes = 2 ** 30;

/** The part that is the same for every run on this host. `hostFiles`: see copyHostFiles. Without it, the host's own files are mounted. */
export function hostBindsOf(hostFiles: string | undefined): readonly string[] {
  const binds = ["--ro-bind", "/usr", "/usr"];
  if (existsSync("/usr/local")) binds.push("--tmpfs", "/usr/local", "--remount-ro", "/usr/local");
  for (const path of ["/bin", "/sbin", "/lib", "/lib32", "/lib64"]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) binds.push("--symlink", readlinkSync(path), path);
    else if (found !== undefined) binds.push("--ro-bind", path, path);
  }
  // Each mount costs every run a seventh of a millisecond.
  if (hostFiles === undefined) return [...binds, ...ownHostBinds()];
  for (const path of ["/etc", "/var"]) binds.push("--ro-bind", join(hostFiles, path), path);
  return binds;
}

/** For a few runs, this is cheaper than a copy. */
function ownHostBinds(): string[] {
  const paths = sharedPaths.filter((path) => existsSync(path));
  return [...parentsOf(paths), ...paths.flatMap((path) => ["--ro-bind", path, path])];
}

/** Bubblewrap would create missing parents for its own user only. */
function parentsOf(paths: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let parent = dirname(path); parent !== "/" && !parent.startsWith("/usr"); parent = dirname(parent)) parents.add(parent);
  }
  return [...parents].sort().flatMap((parent) => ["--perms", "0755", "--dir", parent]);
}

/** The arguments that go through `--args`, so that /proc/1/cmdline inside does not reveal host paths. */
export function namespaceArgsOf(recipe: Recipe, hostBinds: readonly string[]): string[] {
  const { limits, identity } = recipe;
  const environment = { PATH: "/usr/bin", HOME: "/tmp", TMPDIR: "/tmp", LANG: "C.UTF-8", TZ: "UTC", ...recipe.env };
  return [
    ...identityArgsOf(identity),
    ...["--die-with-parent", "--new-session", "--hostname", "job", "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...hostBinds,
    ...parentsOf(Object.values(recipe.readOnly)),
    ...Object.entries(recipe.readOnly).flatMap(([from, to]) => ["--ro-bind", from, to]),
    // --dev creates a writable memory disk of half the host's RAM. It is made read-only, and /dev/shm gets a limited size.
    ...["--proc", "/proc", "--dev", "/dev", "--size", String(shmBytes), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--size", String(limits.tmpBytes), "--perms", "1777", "--tmpfs", "/tmp"],
    ...(recipe.folder === undefined
      ? ["--size", String(limits.tmpBytes), "--perms", "1777", "--tmpfs", "/job"]
      : ["--bind", recipe.folder, "/job"]),
    ...["--chdir", "/job", "--remount-ro", "/"],
  ];
}

function identityArgsOf(identity: Identity): string[] {
  if (identity.kind === "namespace") {
    return ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"];
  }
  // No user namespace: root in one is root outside too, and process limits do not apply to root. These capabilities are what setpriv
  // needs to become the slot's user. They end with that step.
  return [
    ...["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"],
    // To enter /job, which only the slot's user may access.
    ...["--cap-add", "CAP_DAC_READ_SEARCH"],
  ];
}

/** The program, preceded by the steps that must happen inside: becoming the slot's user, then setting the limits. */
export function commandOf(recipe: Recipe): string[] {
  const { identity } = recipe;
  const become =
    identity.kind === "namespace"
      ? []
      : [
          ...["/usr/bin/setpriv", "--reuid", String(identity.uid), "--regid", String(identity.uid), "--clear-groups"],
          ...["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"],
        ];
  return [...become, "/usr/bin/prlimit", ...resourceLimitsOf(recipe.limits), "--", recipe.program, ...recipe.args];
}

/** Set inside, because outside the process limit would count everything that its user runs on the host. */
function resourceLimitsOf(limits: SandboxLimits): string[] {
  return [
    "--core=0",
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 2}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    `--nproc=${limits.processes}`,
    // What applies to each process between two checks of the watchdog. For a tool that reserves far more address space than it uses, its
    // writable memory is limited instead, of which threads and compilers reserve some too.
    limits.addressSpace ? `--as=${limits.memoryBytes * 2}` : `--data=${limits.memoryBytes * 2 + reservedBytes}`,
  ];
}
