import { afterAll, beforeAll, expect, it } from "vitest";
import { describeSandboxes, type Host, openHost } from "./host.ts";

describeSandboxes("the %s sandbox", (mode) => {
  let host: Host;
  beforeAll(async () => {
    host = await openHost(mode);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  it.each([
    ["who are waited for", "while (1) { my $p = fork; if ($p) { waitpid $p, 0 } else { work(0.2); exit } }"],
    ["of whom nobody hears again", '$SIG{CHLD} = "IGNORE"; while (1) { my $p = fork; if (!$p) { work(0.8); exit } sleep 1 }'],
    ["who each start the next", "sleep 200 if fork; while (1) { work(0.5); exit if fork }"],
  ])("CPU time of children %s, each of them far within what one may have", async (_, script) => {
    const work = "sub work { my @t = times; my $end = $_[0] + $t[0] + $t[1]; do { @t = times } while $t[0] + $t[1] < $end }";
    const command = { program: "/usr/bin/perl", args: ["-e", `${work} ${script}`] };
    const end = await host.sandbox.run({ ...command, limits: { cpuSeconds: 2, wallMs: 200_000 } });
    expect(end.killed).toBe("processor");
  });
});
