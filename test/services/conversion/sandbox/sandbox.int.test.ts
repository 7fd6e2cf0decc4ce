import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxCommand, SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { opened } from "#test/harness/opened.ts";
import { describeSandboxes, isRoot, openHost, processesWith, until } from "./host.ts";

describeSandboxes("the %s sandbox", (mode) => {
  const host = opened(() => openHost(mode));

  // Long-running programs yield to others, so they take minutes on a busy machine.
  const run = (program: string, args: readonly string[], { limits, ...more }: Partial<SandboxCommand>): Promise<SandboxEnd> =>
    host.sandbox.run({ program, args, ...more, limits: { wallMs: 200_000, ...limits } });
  const shell = (script: string, more: Partial<SandboxCommand> = {}) => run("/bin/sh", ["-c", script], more);
  const perl = (script: string, more: Partial<SandboxCommand> = {}) => run("/usr/bin/perl", ["-e", script], more);

  describe("a run", () => {
    it("reports exit code, signal, output and mode", async () => {
      expect(host.sandbox.mode).toBe(mode);
      const end = await shell("echo out; echo err >&2; exit 7");
      expect(end).toMatchObject({ killed: undefined, exitCode: 7, signal: undefined, stdout: "out\n", stderr: "err\n" });
      expect(await shell("kill -SEGV $$")).toMatchObject({ exitCode: undefined, signal: "SIGSEGV" });
    });

    it("keeps the first 64 KiB of a flood of output and drains the rest", async () => {
      const end = await perl('print "x" x 1000 for 1..5000; print STDERR "y" x 1000 for 1..5000; exit 3');
      expect([end.exitCode, end.stdout.length, end.stderr.length]).toEqual([3, 65_536, 65_536]);
    });

    it("ends at its deadline although single bytes that it wrote wait to be drained", async () => {
      const end = await perl('while (1) { syswrite STDOUT, "x"; syswrite STDERR, "y" }', { limits: { wallMs: 2000 } });
      expect(end.killed).toBe("timeout");
    }, 30_000);

    it("uses little CPU for a program that never stops writing", async () => {
      const before = process.cpuUsage();
      const end = await shell("yes & yes >&2", { limits: { wallMs: 2000 } });
      const { user, system } = process.cpuUsage(before);
      expect(end.killed).toBe("timeout");
      expect((user + system) / 1e6).toBeLessThan(1);
    });

    it("passes on lines as they arrive", async () => {
      const lines: string[] = [];
      await shell("echo one; printf tw; echo o; printf 'größe\\nlast'", { onLine: (line) => lines.push(line) });
      expect(lines).toEqual(["one", "two", "größe"]);
    });

    it("passes only its own environment", async () => {
      const end = await shell("env", { env: { GIVEN: "yes" } });
      const names = end.stdout
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0]);
      expect(names.sort()).toEqual(["GIVEN", "HOME", "LANG", "PATH", "PWD", "TMPDIR", "TZ"]);
    });
  });

  describe("limits", () => {
    it("wall-clock time, even if the program ignores every polite signal", async () => {
      const marker = `7${randomInt(1e8)}`;
      const end = await shell(`trap '' TERM INT HUP; (setsid sleep ${marker} &); while :; do sleep ${marker}; done`, {
        limits: { wallMs: 400 },
      });
      expect(end.killed).toBe("timeout");
      await until(() => processesWith(marker).length === 0);
    });

    it("a run by an abort signal, before and during it", async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 200);
      expect((await shell("sleep 100", { signal: controller.signal })).killed).toBe("aborted");
      expect((await shell("sleep 100", { signal: AbortSignal.abort() })).killed).toBe("aborted");
    });

    it("CPU time, by the kernel or the process tree watchdog, whichever is first", async () => {
      const limits = { cpuSeconds: 1 };
      expect((await shell("ulimit -t", { limits })).stdout).toBe("1\n");
      const { killed, signal } = await shell("while :; do :; done", { limits });
      expect(["undefined SIGXCPU", "undefined SIGKILL", "processor"]).toContain(killed ?? `undefined ${signal}`);
    });

    it("the number of processes", async () => {
      const end = await perl(
        "my $n = 0; while ($n < 500) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n; exit 0",
        { limits: { processes: 20 } },
      );
      const started = Number(end.stdout || "0");
      expect(started).toBeGreaterThan(5);
      expect(started).toBeLessThanOrEqual(20);
    });

    it("the memory of one process by its address space", async () => {
      const end = await perl('my $x = "a" x (300 * 2**20); print "got it"', { limits: { memoryBytes: 64 * 2 ** 20 } });
      expect(end.stdout).toBe("");
      expect(end.exitCode === 0).toBe(false);
    });

    it("the writable memory of one process without an address space limit, faster than polling", async () => {
      const script = 'my $x = "a" x (1500 * 2**20); print "got it"';
      const end = await perl(script, { limits: { memoryBytes: 64 * 2 ** 20, addressSpace: false } });
      expect(end.stdout).toBe("");
      expect(end.exitCode === 0).toBe(false);
    });

    it("the memory of the whole tree", async () => {
      const script = 'fork; fork; my $x = "a" x (60 * 2**20); sleep 20; print length $x';
      const end = await perl(script, { limits: { memoryBytes: 150 * 2 ** 20, addressSpace: false } });
      expect(end.killed).toBe("memory");
    });

    it("the total memory of many processes that are each far below the limit", async () => {
      const grow = 'my @held; for (1 .. 40) { push @held, "a" x (2**20); select undef, undef, undef, 0.05 } sleep 60';
      for (const addressSpace of [true, false]) {
        const end = await perl(`for (1 .. 11) { last unless fork } ${grow}`, { limits: { memoryBytes: 200 * 2 ** 20, addressSpace } });
        expect(end.killed).toBe("memory");
      }
    });

    it("the size of a file and the number of open files", async () => {
      const end = await shell("head -c 5000000 /dev/zero > big", { limits: { fileBytes: 1_000_000 } });
      expect(end.exitCode).not.toBe(0);
      const files = await perl('my @f; while (@f < 1000 && open(my $f, "<", "/dev/null")) { push @f, $f } print scalar @f', {
        limits: { openFiles: 50 },
      });
      expect(Number(files.stdout)).toBeLessThanOrEqual(50);
    });

    it("the output of one run, if that is less than the usual limits", async () => {
      const end = await shell("head -c 5000000 /dev/zero > big", { outputBytes: 1_000_000 });
      expect([end.exitCode === 0, end.outputBytes]).toEqual([false, 1_000_000]);
      expect((await shell("true", { outputBytes: 2 ** 40 })).outputBytes).toBe(2 ** 30);
    });

    it("all files in the folder, including deleted ones", async () => {
      await using scratch = await host.sandbox.openScratch();
      const limits = { folderBytes: 20_000_000 };
      const end = await shell("for i in 1 2 3 4 5 6; do head -c 5000000 /dev/zero > f$i; done; sleep 30", { folder: scratch.path, limits });
      expect(end.killed).toBe("folder");
      await using other = await host.sandbox.openScratch();
      const script = 'open(my $f, "+>", "x"); unlink "x"; print $f "a" x 30_000_000; $f->flush; sleep 30';
      expect((await perl(`use IO::Handle; ${script}`, { folder: other.path, limits })).killed).toBe("folder");
    });
  });

  describe("isolation", () => {
    it("cannot read or see anything that is not its own", async () => {
      const secret = join(host.folder, "secret");
      await writeFile(secret, "treasure", { mode: 0o644 });
      await using neighbour = await host.sandbox.openScratch();
      await writeFile(join(neighbour.path, "private"), "treasure", { mode: 0o644 });
      const paths = [secret, join(neighbour.path, "private"), "/etc/passwd", "/etc/shadow", "/root", "/home", host.folder];
      const end = await shell(paths.map((path) => `cat '${path}'; ls '${path}/'`).join("; "));
      expect(end.stdout).toBe("");
    });

    it("writes only to its own and the temporary folder", async () => {
      const folders = ["/", "/usr", "/etc", "/opt", "/dev", "/var", host.folder];
      const end = await shell(folders.map((folder) => `touch '${folder}/filemill-probe' && echo '${folder}'`).join("; "));
      expect(end.stdout).toBe("");
      expect((await shell('touch /job/x 2>/dev/null || touch "$HOME/x"; touch "$TMPDIR/y" && echo ok')).stdout).toBe("ok\n");
    });

    it("reaches no network", async () => {
      const server = createServer((socket) => socket.destroy());
      let hits = 0;
      server.on("connection", () => hits++);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : 0;
      const families = "for my $f (2, 10, 16, 17, 40) { print qq(family $f\\n) if socket(my $s, $f, $f == 16 || $f == 17 ? 3 : 1, 0) }";
      const connect = `use Socket; my $s; socket($s, 2, 1, 6) && connect($s, scalar sockaddr_in(${port}, inet_aton("127.0.0.1"))) && print "connected"`;
      const end = await perl(`${families}; ${connect}`);
      expect(end.stdout).toBe("");
      expect(hits).toBe(0);
      await new Promise((resolve) => server.close(resolve));
    });

    it("has no privileges and cannot gain any", async () => {
      const end = await shell('while read -r line; do echo "$line"; done < /proc/self/status');
      const fields = Object.fromEntries(
        end.stdout
          .trim()
          .split("\n")
          .map((line) => line.split(":").map((part) => part.trim())),
      );
      expect(fields).toMatchObject({ CapEff: "0000000000000000", CapPrm: "0000000000000000", NoNewPrivs: "1", Seccomp: "2" });
      expect(fields.Uid?.split("\t")).not.toContain("0");
      if (mode === "full") expect(fields.CapBnd).toBe("0000000000000000");
      const tricks = await shell(
        "unshare -U true && echo userns; unshare -n true && echo netns; mount -t tmpfs x /tmp && echo mounted; chroot / true && echo chroot",
      );
      expect(tricks.stdout).toBe("");
    });

    it("cannot change read-only binds or read root's private files", async () => {
      const shared = join(host.folder, "shared");
      const rootsOwn = join(host.folder, "roots");
      await writeFile(shared, "given", { mode: 0o644 });
      await writeFile(rootsOwn, "treasure", { mode: 0o600 });
      const readOnly = { [shared]: "/input/shared", [rootsOwn]: "/input/roots" };
      const script = "cat /input/shared; echo changed > /input/shared; rm -f /input/shared; chmod 777 /input/shared; cat /input/roots";
      const end = await shell(script, { readOnly });
      // Without root there is only one user, and inputs are meant to be read.
      expect(end.stdout).toBe(isRoot ? "given" : "giventreasure");
      expect(await readFile(shared, "utf8")).toBe("given");
      expect((await stat(shared)).mode & 0o777).toBe(0o644);
    });

    it.runIf(mode === "full")("sees neither the host's processes nor its paths and environment", async () => {
      await using scratch = await host.sandbox.openScratch();
      const end = await shell("ls /proc | grep -c '^[0-9]'; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline; hostname", {
        folder: scratch.path,
      });
      const [count, ...rest] = end.stdout.split("\n");
      expect(Number(count)).toBeLessThan(8);
      expect(rest.join("\n")).not.toContain(host.folder);
      expect(rest.join("\n")).toContain("job");
    });

    it("survives kill -1 in another run, as runs cannot see each other", async () => {
      await using scratch = await host.sandbox.openScratch();
      const { promise: isThere, resolve: onLine } = Promise.withResolvers<string>();
      const bystander = shell("echo there; until [ -e go ]; do sleep 0.05; done; echo alive", { folder: scratch.path, onLine });
      await isThere;
      expect((await shell("kill -9 -1; exit 0")).killed).toBe(undefined);
      await writeFile(join(scratch.path, "go"), "");
      expect((await bystander).stdout).toBe("there\nalive\n");
    });

    it.runIf(isRoot)("runs concurrently under different users", async () => {
      const ends = await Promise.all(Array.from({ length: 5 }, () => shell("id -u; sleep 0.3")));
      const users = ends.map((end) => end.stdout.trim());
      expect(new Set(users).size).toBe(5);
      expect(users).not.toContain("0");
    });
  });

  describe("folders", () => {
    it("are private and removable whatever the program did to them", async () => {
      const scratch = await host.sandbox.openScratch();
      expect((await stat(scratch.path)).mode & 0o777).toBe(0o700);
      const kept = join(host.folder, "kept");
      await mkdir(kept, { recursive: true });
      await writeFile(join(kept, "file"), "stays");
      const script = `mkdir -p a/b/c; i=0; while [ $i -lt 3000 ]; do : > a/b/f$i; i=$((i+1)); done; mkfifo a/pipe; ln -s '${kept}' a/link; ln -s / root; chmod 000 a/b/c a/b a`;
      const end = await shell(script, { folder: scratch.path });
      expect([end.exitCode, end.killed]).toEqual([0, undefined]);
      expect((await lstat(join(scratch.path, "a"))).mode & 0o777).toBe(0);
      await scratch[Symbol.asyncDispose]();
      expect(existsSync(scratch.path)).toBe(false);
      expect(await readFile(join(kept, "file"), "utf8")).toBe("stays");
    });

    it("not created by openScratch are rejected", async () => {
      const foreign = join(host.folder, "foreign");
      await mkdir(foreign);
      await chmod(foreign, 0o777);
      await expect(shell("true", { folder: foreign })).rejects.toMatchObject({ code: "INTERNAL" });
    });

    it("keep results where the host can read them", async () => {
      await using scratch = await host.sandbox.openScratch();
      await shell("echo result > out.txt", { folder: scratch.path });
      expect(await readFile(join(scratch.path, "out.txt"), "utf8")).toBe("result\n");
    });
  });
});
