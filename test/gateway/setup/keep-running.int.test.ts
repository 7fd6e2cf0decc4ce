/** The shell script that keeps the service running, with processes that end in various ways. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const script = resolve("gateway/setup/keep-running.sh");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-keeper-"));
  // Pauses are recorded instead of slept through, unless a test asks for a real one.
  await writeFile(join(folder, "sleep"), `#!/bin/sh\necho "$1" >>"${folder}/pauses"\n[ ! -e "${folder}/slowly" ] || exec /bin/sleep 300\n`);
  await chmod(join(folder, "sleep"), 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Kept = { readonly child: ChildProcess; said(): string; readonly ended: Promise<unknown[]> };

/** @param body - Of a shell script whose `$life` is 1 on its first run. */
async function keep(body: string): Promise<Kept> {
  const program = join(folder, "program.sh");
  await writeFile(program, `echo x >>"${folder}/lives"; life=$(wc -l <"${folder}/lives"); echo "life $((life)) $$"\n${body}\n`);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const child = spawn("/bin/sh", [script, "/bin/sh", program], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  return { child, said: () => said, ended: once(child, "close") };
}

const pauses = async () => (await readFile(join(folder, "pauses"), "utf8").catch(() => "")).split("\n").filter(Boolean).map(Number);
const livesOf = (said: string) => said.split("\n").filter((line) => line.startsWith("life"));

describe("a process that exits", () => {
  it.each([0, 3, 78, 127, 130])("with %d is not restarted, and its exit code is passed on", async (code) => {
    const { ended, said } = await keep(`exit ${code}`);
    expect(await ended).toEqual([code, null]);
    expect(livesOf(said())).toHaveLength(1);
  });

  it.each([
    ["TERM", 143],
    ["HUP", 129],
    ["KILL", 137],
  ])("by SIG%s from elsewhere is not restarted", async (signal, code) => {
    const { ended, said } = await keep(`kill -${signal} $$; sleep 1`);
    expect(await ended).toEqual([code, null]);
    expect(livesOf(said())).toHaveLength(1);
  });
});

describe("a process that crashes", () => {
  it.each(["ALRM", "SEGV", "ABRT", "BUS", "ILL", "FPE", "TRAP"])("with SIG%s is restarted and logged", async (signal) => {
    const { ended, said } = await keep(`[ $life -gt 1 ] || kill -${signal} $$; exit 5`);
    expect(await ended).toEqual([5, null]);
    expect(livesOf(said())).toHaveLength(2);
    const line = said()
      .split("\n")
      .find((each) => each.startsWith("{"));
    expect(JSON.parse(line ?? "")).toMatchObject({ level: "error", msg: "process.restarted", crashes: 1 });
  });

  it("with an uncaught exception is restarted", async () => {
    const node = `${process.execPath} -e 'setTimeout(() => { throw new Error("unforeseen"); })'`;
    const { ended, said } = await keep(`[ $life -gt 1 ] || exec ${node}; exit 5`);
    expect(await ended).toEqual([5, null]);
    expect(livesOf(said())).toHaveLength(2);
  });

  it("repeatedly is given up after increasing pauses", async () => {
    const { ended, said } = await keep("kill -SEGV $$");
    expect(await ended).toEqual([139, null]);
    expect(livesOf(said())).toHaveLength(11);
    expect(await pauses()).toEqual([1, 4, 9, 16, 25, 30, 30, 30, 30, 30]);
    expect(said()).toContain("process.given_up");
  });
});

describe("a signal to the keeper", () => {
  // Child shells inherit ignored SIGINT and SIGQUIT from their parent; Node resets them.
  const node = `for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]) process.on(signal, () => process.exit(6)); console.log("ready"); setInterval(() => {}, 1000);`;

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
    "(%s) is forwarded, and the resulting exit code is passed on",
    async (signal) => {
      const { child, ended, said } = await keep(`exec ${process.execPath} -e '${node}'`);
      await expect.poll(said).toContain("ready");
      child.kill(signal);
      expect(await ended).toEqual([6, null]);
    },
  );

  it("ends it even if the process is killed by it", async () => {
    const { child, ended, said } = await keep("trap 'kill -KILL $$' TERM; echo ready; while :; do /bin/sleep 0.05; done");
    await expect.poll(said).toContain("ready");
    child.kill("SIGTERM");
    expect(await ended).toEqual([137, null]);
    expect(livesOf(said())).toHaveLength(1);
  });

  it("during a pause ends it at once", async () => {
    await writeFile(join(folder, "slowly"), "");
    const { child, ended, said } = await keep("kill -SEGV $$");
    await expect.poll(pauses).toEqual([1]);
    child.kill("SIGTERM");
    expect(await ended).toEqual([139, null]);
    expect(livesOf(said())).toHaveLength(1);
  });

  it("right before a pause ends it at once", async () => {
    await writeFile(join(folder, "slowly"), "");
    // The last program that the keeper runs before it pauses.
    await writeFile(join(folder, "date"), "#!/bin/sh\nkill -TERM $FILEMILL_KEEPER\n");
    await chmod(join(folder, "date"), 0o755);
    const { ended, said } = await keep("kill -SEGV $$");
    expect(await ended).toEqual([139, null]);
    expect(livesOf(said())).toHaveLength(1);
  });

  it("is forwarded each time it is repeated", async () => {
    const { child, ended, said } = await keep(
      'n=0; trap "n=\\$((n+1)); echo told \\$n" TERM; echo ready; while [ $n -lt 3 ]; do /bin/sleep 0.05; done; exit 4',
    );
    await expect.poll(said).toContain("ready");
    for (let times = 1; times <= 3; times++) {
      child.kill("SIGTERM");
      await expect.poll(said).toContain(`told ${times}`);
    }
    expect(await ended).toEqual([4, null]);
  });
});
