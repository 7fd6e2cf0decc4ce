/** Host sockets with a path: hidden by the mounts of the full sandbox, and unreachable from the weaker one. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { describeSandboxes, openHost, until } from "./host.ts";

/** World-writable stream, datagram and seqpacket sockets, and what arrives there until the input ends. */
const listening = `use Socket; $| = 1;
  my @all = map {
    my $path = "$ARGV[0]/listener-$_";
    my $s; socket($s, 1, $_, 0) && bind($s, pack_sockaddr_un($path)) || die; chmod 0777, $path; $_ == 2 || listen($s, 5); $s
  } 1, 2, 5;
  open(my $ready, ">", "$ARGV[0]/ready");
  for (;;) {
    my $in = ""; vec($in, fileno $_, 1) = 1 for @all, *STDIN; select(my $out = $in, undef, undef, undef);
    for (@all) { if (vec($out, fileno $_, 1)) { my ($t, $got); accept($t, $_) || recv($_, $got, 100, 0); print "heard " } }
    exit if vec($out, fileno STDIN, 1);
  }`;
const speaking = (folder: string) => `use Socket; $| = 1; $SIG{PIPE} = "IGNORE";
  for my $type (1, 2, 5) {
    my $to = pack_sockaddr_un("${folder}/listener-$type");
    my ($alone, $one, $other);
    if (socket($alone, 1, $type, 0)) { connect($alone, $to); send($alone, "inside", 0, $to); syswrite $alone, "inside" }
    if (socketpair($one, $other, 1, $type, 0)) { print "pair $type "; connect($one, $to); send($one, "inside", 0, $to) }
  }`;

describeSandboxes("the %s sandbox", (mode) => {
  const perl = (script: string) => ({ program: "/usr/bin/perl", args: ["-e", script], limits: { wallMs: 120_000 } });

  it("sends nothing to a socket with a path, not even a datagram from its own socket pair", async () => {
    await using host = await openHost(mode);
    const outside = spawn("/usr/bin/perl", ["-e", listening, host.folder], { stdio: ["pipe", "pipe", "inherit"] });
    const heard = text(outside.stdout);
    await until(() => existsSync(join(host.folder, "ready")));
    const end = await host.sandbox.run(perl(speaking(host.folder)));
    outside.stdin.end();
    // Programs need only stream pairs, for their children.
    expect([await heard, end.stdout]).toEqual(["", mode === "full" ? "pair 1 pair 2 pair 5 " : "pair 1 "]);
  });

  it.runIf(mode === "degraded")("lets a program listen where no one can connect, and protects the limits of other processes", async () => {
    await using host = await openHost(mode);
    const path = join(host.folder, `socket-${randomInt(1e8)}`);
    const listens = `use Socket; my ($s, $t); socket($s, 1, 1, 0) && bind($s, pack_sockaddr_un("${path}")) && listen($s, 5) && print "listens"`;
    const end = await host.sandbox.run(perl(`${listens}; accept($t, $s) || print ", alone"; print -e "${path}" ? ", there" : ""`));
    expect(end.stdout).toBe("listens, alone");
    const [prlimit64, openFiles] = process.arch === "x64" ? [302, 7] : [261, 7];
    const bounds = `my $old = "x" x 16; print syscall(${prlimit64}, getppid(), ${openFiles}, 0, $old) == 0 ? "read" : "refused"`;
    expect((await host.sandbox.run(perl(bounds))).stdout).toBe("refused");
  });
});
