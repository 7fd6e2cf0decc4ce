import { expect, it } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { describeSandboxes, openHost } from "./host.ts";

describeSandboxes("the %s sandbox", (mode) => {
  const host = opened(() => openHost(mode));

  it.each([
    ["that are waited for", "while (1) { my $p = fork; if ($p) { waitpid $p, 0 } else { work(0.2); exit } }"],
    ["that are never waited for", '$SIG{CHLD} = "IGNORE"; while (1) { my $p = fork; if (!$p) { work(0.8); exit } sleep 1 }'],
    ["that each start the next one", "sleep 200 if fork; while (1) { work(0.5); exit if fork }"],
  ])("limits the CPU time of children %s, each far below the limit", async (_, script) => {
    const work = "sub work { my @t = times; my $end = $_[0] + $t[0] + $t[1]; do { @t = times } while $t[0] + $t[1] < $end }";
    const command = { program: "/usr/bin/perl", args: ["-e", `${work} ${script}`] };
    const end = await host.sandbox.run({ ...command, limits: { cpuSeconds: 2, wallMs: 200_000 } });
    expect(end.killed).toBe("processor");
  });
});
