// Runs inside the sandbox and tries to break out. Prints one line for each attack that succeeded, then allocates all memory.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";

const target = JSON.parse(Buffer.from(process.argv[2], "base64").toString());
const allowedVariables = new Set(["PATH", "HOME", "TMPDIR", "LANG", "TZ", "PWD", "UV_USE_IO_URING"]);

function report(attack) {
  writeSync(1, `through ${attack}\n`);
}

function attempt(attack, action) {
  try {
    if (action() !== false) report(attack);
  } catch {
    // The attack was stopped.
  }
}

function readFiles() {
  attempt("a file outside was read", () => readFileSync(target.canary));
  attempt("a folder outside was listed", () => readdirSync(dirname(target.canary)));
  for (const path of ["/etc/passwd", "/etc/shadow", "/root", "/home", "/var/log", "/etc/hostname", "/run"]) {
    attempt(`${path} was visible`, () => (path.startsWith("/etc") ? readFileSync(path) : readdirSync(path)) !== undefined);
  }
}

function writeFiles() {
  const folders = [dirname(target.canary), "/", "/usr", "/usr/bin", "/etc", "/opt", "/dev", "/var/tmp", "/proc/sys/kernel"];
  for (const folder of folders) attempt(`${folder} was written to`, () => leaveFile(join(folder, "filemill-attack")));
}

/** A file that can be written can be removed, so a host whose sandbox fails keeps no trace. */
function leaveFile(path) {
  writeFileSync(path, "", { flag: "wx" });
  unlinkSync(path);
}

function readProcesses() {
  const status = readFileSync("/proc/self/status", "utf8");
  const field = (name) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1];
  if (Number.parseInt(field("CapEff") ?? "1", 16) !== 0) report("capabilities were left");
  if (field("NoNewPrivs") !== "1") report("privileges can be gained by exec");
  if (field("Seccomp") !== "2") report("no seccomp filter is in force");
  if (field("Uid") === "0") report("the program runs as root");
  for (const name of Object.keys(process.env)) if (!allowedVariables.has(name)) report(`the variable ${name} came in`);
  attempt("the environment of another process was read", () => readFileSync("/proc/1/environ").length > 0);
  attempt("the host's paths were in a command line", () => readFileSync("/proc/1/cmdline", "utf8").includes(dirname(target.canary)));
  const visible = target.mode === "degraded" ? 0 : readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
  if (visible > 6) report("processes of the host were visible");
  // In a separate process namespace, the number means another process.
  if (target.mode === "degraded") attempt("Filemill itself could be signalled", () => process.kill(target.host, 0));
  if (existsSync("/usr/bin/unshare") && spawnSync("/usr/bin/unshare", ["-U", "/usr/bin/true"]).status === 0)
    report("a user namespace was made");
}

function reach(attack, where) {
  return new Promise((resolve) => {
    const socket = connect(where);
    const done = (through) => {
      if (through) report(attack);
      socket.destroy();
      resolve();
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
    // A blocked connection fails at once. A long timeout, so that an open one is not missed because this host is slow.
    socket.setTimeout(10_000, () => done(false));
  });
}

/** Node itself has about ten threads, so far fewer processes than the limit must fit. */
async function fork() {
  const sleepers = [];
  for (let count = 0; count < target.processes; count++) {
    // Longer than this program may run. A sleeper that ended before the last one starts would make room for it.
    const sleeper = spawn("/usr/bin/sleep", ["300"], { stdio: "ignore" });
    const refused = await new Promise((resolve) => {
      sleeper.once("spawn", () => resolve(false));
      sleeper.once("error", () => resolve(true));
    });
    if (refused) break;
    sleepers.push(sleeper);
  }
  for (const sleeper of sleepers) sleeper.kill("SIGKILL");
  if (sleepers.length === target.processes) report("more processes than allowed were started");
}

readFiles();
writeFiles();
readProcesses();
await Promise.all([
  reach("a TCP port of the host was reached", { host: "127.0.0.1", port: target.port }),
  reach("an abstract socket of the host was reached", { path: `\0${target.abstractName}` }),
  fork(),
]);
writeSync(1, "complete\n");
const taken = [];
const step = 32 * 2 ** 20;
for (let bytes = 0; bytes < target.memoryBytes * 2; bytes += step) taken.push(Buffer.alloc(step, 1));
// Leaves time for a watchdog that checks at intervals, even on a busy host. Without a watchdog, the program exits by itself.
setTimeout(() => process.exit(taken.length), 5000);
