import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CheckerOptions, type Given, openChecker } from "./checker.ts";

let folder: string;
const said: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-checker-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A fake reader that runs the given program in place of the real one. */
async function checkerOf(name: string, program: string, more: Partial<CheckerOptions> = {}) {
  const path = join(folder, `${name}.mjs`);
  const scratch = join(folder, name);
  await writeFile(
    path,
    `import { existsSync, writeFileSync } from "node:fs";\nconst mark = ${JSON.stringify(`${path}.mark`)};\n${program}`,
  );
  const say = (line: string) => void said.push(line);
  return { scratch, checker: openChecker({ folder: scratch, env: {}, program: path, say, ...more }) };
}

const file = { path: join(import.meta.dirname, "../corpus/typical/image/typical.png"), format: "png", kind: "image" } as const;
const given: Given = { sample: { ...file, name: "typical", contents: [] }, input: file, result: file, writer: "nobody" };
const noMake = () => Promise.reject(new Error("not asked for"));
const answer = "const answer = () => process.send({ evidence: { reader: 'test', figures: {} }, memoryBytes: 1 });";

it("reads and compares in a separate process", async () => {
  await using checker = openChecker({ folder: join(folder, "real"), env: { PATH: "/usr/bin:/bin" }, say: () => undefined });
  expect(await checker.check(given, noMake)).toMatchObject({ figures: { ssim: 1, size: 1 } });
  expect(await checker.check({ ...given, result: { ...file, path: join(folder, "none.png") } }, noMake)).toContain("no reader for png");
});

it("repeats a check that crashed its process, and reports it", async () => {
  said.length = 0;
  const dies =
    "process.on('message', () => { if (existsSync(mark)) answer(); else { writeFileSync(mark, ''); process.kill(process.pid, 'SIGABRT'); } });";
  const { checker } = await checkerOf("once", `${answer}\n${dies}`);
  await using _ = checker;
  expect(await checker.check(given, noMake)).toMatchObject({ reader: "test" });
  expect(said).toEqual(["  the check of png > png by nobody died (SIGABRT): once more"]);
});

it("fails a check that crashes every process", async () => {
  const { checker } = await checkerOf("always", "process.on('message', () => process.kill(process.pid, 'SIGSEGV'));");
  await using _ = checker;
  expect(await checker.check(given, noMake)).toBe("the check died: SIGSEGV");
  expect(await checker.check(given, noMake)).toBe("the check died: SIGSEGV");
});

it("replaces a process that exited between two checks", async () => {
  const { checker } = await checkerOf("between", `${answer}\nprocess.on('message', () => { answer(); process.disconnect(); });`);
  await using _ = checker;
  expect(await checker.check(given, noMake)).toMatchObject({ reader: "test" });
  expect(await checker.check(given, noMake)).toMatchObject({ reader: "test" });
});

it("ends a check that takes too long and removes its files", async () => {
  const hangs = `import { spawn } from "node:child_process";
    process.on("message", () => { writeFileSync(process.env.TMPDIR + "/left", ""); spawn("/usr/bin/sleep", ["600"], { stdio: "ignore" }); });`;
  const { checker, scratch } = await checkerOf("hangs", hangs, { timeoutMs: 1500 });
  await using _ = checker;
  expect(await checker.check(given, noMake)).toBe("the check took too long");
  expect(existsSync(scratch)).toBe(false);
});

it("requests a conversion, or learns why there is none", async () => {
  const asks = `process.on("message", (question) => "made" in question
    ? process.send({ evidence: typeof question.made === "string" ? question.made : question.made.path, memoryBytes: 1 })
    : process.send({ wanted: { engine: "other", to: "csv" } }));`;
  const { checker } = await checkerOf("asks", asks);
  await using _ = checker;
  expect(await checker.check(given, async ({ to }) => ({ path: `made.${to}`, format: to, kind: "data" }))).toBe("made.csv");
  expect(await checker.check(given, noMake)).toBe("not asked for");
});
