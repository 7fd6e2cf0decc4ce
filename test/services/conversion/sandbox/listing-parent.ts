/** Prints the descriptors of a program that runs once and of a persistent one. Argument: the mode. */
import { openHost } from "./host.ts";

await using host = await openHost(process.argv[2] === "degraded" ? "degraded" : "full");
// Perl's own descriptors are close-on-exec, and the one of the listing is already closed.
const list = 'for (grep { -e "/proc/self/fd/$_" } 0..1023) { $found{$_} = readlink "/proc/self/fd/$_" }';
const json = 'join(",", map { qq("$_":"$found{$_}") } keys %found)';
const run = await host.sandbox.run({ program: "/usr/bin/perl", args: ["-e", `${list} print "{", ${json}, "}"`] });
await using child = await host.sandbox.spawn({
  program: "/usr/bin/perl",
  args: ["-e", `$| = 1; while (<STDIN>) { ${list} print "{", ${json}, "}\\n" }`],
  limits: { wallMs: 0 },
});
const conversation = await child.request({}, { timeoutMs: 60_000 });
process.stdout.write(JSON.stringify({ run: JSON.parse(run.stdout), conversation }));
