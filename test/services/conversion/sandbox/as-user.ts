/** Opens the sandbox as the current user and prints what a program in it sees. */
import { openHost } from "./host.ts";

await using host = await openHost(process.argv[2] === "degraded" ? "degraded" : "full");
await using scratch = await host.sandbox.openScratch();
const script = 'id -u; mkdir a; : > a/b; chmod 000 a; cat /etc/passwd; while read -r line; do echo "$line"; done < /proc/self/status';
const end = await host.sandbox.run({ program: "/bin/sh", args: ["-c", script], folder: scratch.path });
const flood = "my $n = 0; while ($n < 500) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n";
const forks = await host.sandbox.run({ program: "/usr/bin/perl", args: ["-e", flood], limits: { processes: 20 } });
process.stdout.write(JSON.stringify({ end, forks: Number(forks.stdout), scratch: scratch.path }));
