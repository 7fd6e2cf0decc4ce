/** Bare systems in folders, and programs in them: each has its own root, with a process namespace that ends with its first process. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export type System = {
  readonly name: string;
  readonly suite: string;
  readonly args: readonly string[];
  /** Name of its proof file. */
  readonly proofs: string;
};

const debian = "http://deb.debian.org/debian";
const ubuntu = "http://archive.ubuntu.com/ubuntu";
/** Debian's debootstrap has neither Ubuntu's keys nor a script for each of its releases, which all use this one. */
const ubuntuScript = "/usr/share/debootstrap/scripts/gutsy";

export const systems: readonly System[] = [
  { name: "Debian 12", suite: "bookworm", args: [debian], proofs: "debian-12" },
  { name: "Debian 13", suite: "trixie", args: [debian], proofs: "debian-13" },
  { name: "Ubuntu 24.04", suite: "noble", args: [ubuntu, ubuntuScript], proofs: "ubuntu-24.04" },
];

const run = (file: string, ...args: readonly string[]) => promisify(execFile)(file, [...args], { maxBuffer: 2 ** 28 });

/** Creates the bare system once and keeps it under `folder`. */
export async function ensureBase({ suite, args }: System, folder: string): Promise<string> {
  const base = join(folder, suite);
  if (existsSync(base)) return base;
  await mkdir(folder, { recursive: true });
  const [mirror = "", ...script] = args;
  const ofUbuntu = script.length > 0 ? ["--no-check-gpg", "--components=main,universe"] : [];
  await run("debootstrap", "--variant=minbase", ...ofUbuntu, suite, `${base}.new`, mirror, ...script);
  await rename(`${base}.new`, base);
  return base;
}

/** A copy of the base with this clone in /opt/filemill, including uncommitted changes. */
export async function makeRoot(base: string, folder: string, ca: string | undefined): Promise<AsyncDisposable & { readonly path: string }> {
  await rm(folder, { recursive: true, force: true });
  const script = [
    'cp -a "$0" "$1"',
    'mkdir -p "$1/opt/filemill" && chmod 755 "$1/opt/filemill"',
    'git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x --no-same-owner -C "$1/opt/filemill"',
    'cp -L /etc/resolv.conf "$1/etc/resolv.conf"',
    // A disposable root need not survive a power cut; otherwise each package waits for the disk.
    'echo force-unsafe-io > "$1/etc/dpkg/dpkg.cfg.d/unsafe-io"',
    ...(ca === undefined ? [] : ['mkdir -p "$1/etc/ssl" && cp -L "$2" "$1/etc/ssl/more.crt"']),
  ].join("\n");
  await run("sh", "-ec", script, base, folder, ca ?? "");
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** pivot_root instead of just chroot, in which the kernel denies user namespaces. "$0" is the root, "$@" the command. */
const enter = `
mount --make-rprivate /
mount --bind "$0" "$0"
cd "$0"
mount --rbind /dev dev
mount --rbind /sys sys
mount -t proc proc proc
mount -t tmpfs -o mode=1777 tmp tmp
mkdir -p .host
pivot_root . .host
exec /usr/sbin/chroot . /bin/sh -c 'umount -l /.host; exec "$@"' sh "$@"`;

/** Wraps a command to run in the root; processes that it starts end with it. */
export function commandIn(root: string, command: readonly string[]): readonly string[] {
  return ["unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "sh", "-ec", enter, root, ...command];
}
