import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "#test/harness/cli.ts";
import { eventually } from "#test/harness/eventually.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { type Footprint, footprintAtRest, leftBehind } from "#test/harness/footprint.ts";
import { processorSecondsOf } from "#test/harness/processor-time.ts";
import { post, type Upload as SentUpload } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { sampled, takesAll } from "#test/harness/turns.ts";
import { type Aim, type Attack, aimedEngines } from "./attack.ts";
import { type Canaries, openCanaries } from "./canaries.ts";
import { harmless } from "./harmless.ts";
import { attacksInFront, goodUploadLike } from "./in-front-attacks.ts";
import { leakOf, unsafePartsOf } from "./leak.ts";
import { attacks, attacksOnTheDoor } from "./table.ts";
import { type Answer, convert, hopsOf, removeJob, type Upload, watchMemory } from "./target.ts";

/** For one hop: as short as good files allow on this machine under its current load. Extended if they no longer finish in time. */
let limitMs = 5000;
const longestLimitMs = 20_000;
const tooSlow = "A file that should have ended by itself met the time limit of the attacks.";
let wasTooSlow = false;
/**
 * Includes the grace period of a kill, two attempts by an office engine, and a machine that stalls at times. Without it, a hang would never end.
 */
const maxAnswerMs = () => 2 * limitMs + 40_000;
const jobMemoryMb = 1024;
/** Of an office or picture engine when it is killed, plus the growth between two measurements. */
const maxGrowthBytes = 2.5e9;
/**
 * CPU time of the main process for one file: a fixed part, and a part for
 * watching engines while they run. An endless loop uses all of the time.
 */
const maxMainSeconds = (elapsedSeconds: number) => 2 + 0.2 * elapsedSeconds;
const boundedOutcomes = [
  "converts",
  ...["CONVERSION_TIMEOUT", "INPUT_TOO_COMPLEX", "INVALID_INPUT", "CONVERSION_FAILED"].map((code) => `422 ${code}`),
];
/** In two weeks all of them: a hostile file costs ten times as much as a good one. */
const turn = { of: 14 };
const taken = { attacks: sampled(attacks, turn), inFront: sampled(attacksInFront, turn), onTheDoor: sampled(attacksOnTheDoor, turn) };
const resultsFile = new URL("./results.json", import.meta.url);

let server: TestServer;
let canaries: Canaries;
let aim: Aim;
let before: Footprint;
const results: { id: string; engine: string; what: string; to: string; outcome: string }[] = [];

beforeAll(async () => {
  canaries = await openCanaries();
  await openTarget();
}, 900_000);
beforeEach(async () => {
  if (!wasTooSlow) return;
  await lengthenLimit();
  await openTarget();
}, 900_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await canaries?.[Symbol.asyncDispose]();
});

/** Each answer is bounded by maxAnswerMs; some tests send two hundred files. Only an extended limit triggers a retry. */
const patience = { timeout: 600_000, retry: { count: 2, condition: (error: { message: string }) => error.message === tooSlow } };

describe("a hostile file harms nothing but its own job", patience, () => {
  it.each(taken.attacks)("$id: $what", async (attack) => {
    const pid = server.child.pid;
    const runs = await hopsOf(server, attack.engine);
    for (const to of attack.to) await attackOnce(attack, to);
    // Otherwise the table would name an engine that never saw the file.
    if (expectsRun(attack)) await expect.poll(() => hopsOf(server, attack.engine)).toBeGreaterThan(runs);
    expect(canaries.hits).toEqual([]);
    expect(await canaries.written()).toEqual([]);
    expect(server.log()).not.toContain(canaries.secret);
    expect([server.child.pid, server.child.exitCode, server.child.signalCode]).toEqual([pid, null, null]);
    await expectHarmless(attack.engine);
    await expect.poll(() => leftBehind(server, before)).toEqual([]);
    results.push({ id: attack.id, engine: attack.engine, what: attack.what, to: attack.to.join(" "), outcome: attack.outcome });
  });

  it.each(taken.inFront)("$id: $what", async ({ id, what, upload }) => {
    const spentOn = async (sent: SentUpload): Promise<number> => {
      const begun = await processorSecondsOf(server.child.pid);
      const answer = await post(server, sent);
      const body = await answer.text();
      const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
      const jobId = answer.headers.get("x-job-id") ?? (isJson ? JSON.parse(body).job?.id : undefined);
      // 500 and above are our own failures.
      expect(answer.status).toBeLessThan(500);
      const spent = (await processorSecondsOf(server.child.pid)) - begun;
      if (jobId !== undefined) await removeJob(server, jobId);
      return spent;
    };
    const good = await spentOn(goodUploadLike(upload));
    expect(await spentOn(upload)).toBeLessThan(good + 2);
    await expectHarmless("sharp");
    await expect.poll(() => leftBehind(server, before)).toEqual([]);
    results.push({ id, engine: "front", what, to: "", outcome: "is quick" });
  });

  it.each(taken.onTheDoor)("$id: $what", async ({ id, what, outcome, send }) => {
    for (const { status, code, headers } of await send(server)) {
      expect(status === 200 ? "converts" : code).toBe(outcome);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      if (status !== 200) continue;
      expect(headers.get("content-disposition")).toMatch(/^attachment; filename=("[^"/\\]+"|[^"/\\ ;]+)(; filename\*=UTF-8''[\w.%-]+)?$/);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      await removeJob(server, headers.get("x-job-id") ?? "");
    }
    await expectHarmless("sharp");
    await expect.poll(() => leftBehind(server, before)).toEqual([]);
    results.push({ id, engine: "door", what, to: "", outcome });
  });

  it("W3-names: a webhook to a local name reaches nobody, and its URL and secret are not logged", async () => {
    const mark = `hook${canaries.secret.slice(6)}`;
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${server.key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return JSON.parse((await (await fetch(`${server.url}/api/v1/webhooks${path}`, init)).text()) || "{}");
    };
    for (const host of ["localhost", "localhost.", "nowhere.invalid"]) {
      const { webhook, secret } = await call("POST", "", { url: `https://${host}:${aim.port}/${mark}?token=${mark}` });
      // Removed only after its end was reported: nothing is reported for removed jobs.
      const { jobId = "" } = await convertPatiently(harmless.sharp);
      const tried = async () =>
        (await call("GET", `/${webhook.id}/deliveries`)).deliveries.map(({ lastError }: { lastError: string }) => lastError);
      // Without name resolution, the lookup may take the sender's whole time limit.
      const refusal = expect.stringMatching(/^(the address is not public|ENOTFOUND|EAI_AGAIN|no answer in time)$/);
      await expect.poll(tried, { timeout: 60_000 }).toEqual([refusal]);
      await call("DELETE", `/${webhook.id}`);
      await removeJob(server, jobId);
      for (const told of [mark, secret, secret.slice(6, 26)]) expect(server.log()).not.toContain(told);
    }
    expect(canaries.hits).toEqual([]);
  });

  it("leaves no trace of a file, its name or the key in the log", async () => {
    const mark = `mark${canaries.secret.slice(6)}`;
    const texts = "json yaml toml xml json5 ini csv ndjson plist srt ass ttml svg html ps rst tex rtf";
    const binaries = "bson cbor avro sqlite png tiff pdf docx epub zip tar ttf jxl mp3 mp4";
    for (const format of `${texts} ${binaries}`.split(" ")) {
      for (const content of [`{"a: ${mark}`, `<a>&${mark};<${mark}`, `\x00\xff${mark}`]) {
        const answer = await convert(server, { to: "pdf", query: `from=${format}`, fileName: `${mark}.${format}`, content });
        if (answer.jobId !== undefined) await removeJob(server, answer.jobId);
        const other = await convert(server, { to: "json", query: `from=${format}`, fileName: `${mark}.${format}`, content });
        if (other.jobId !== undefined) await removeJob(server, other.jobId);
      }
    }
    const telling = server
      .log()
      .split("\n")
      .filter((line) => line.includes(mark) || line.includes(server.key) || line.includes(server.key.slice(0, 20)));
    expect(telling).toEqual([]);
  });

  it("every result is recorded in results.json", async () => {
    expect(results.map(({ id }) => id)).toEqual([...taken.attacks, ...taken.inFront, ...taken.onTheDoor].map(({ id }) => id));
    if (!takesAll) return expect(JSON.parse(await readFile(resultsFile, "utf8"))).toEqual(expect.arrayContaining(results));
    const text = `${JSON.stringify(results, undefined, 2)}\n`;
    if ((await readFile(resultsFile, "utf8").catch(() => "")) !== text) await writeFile(resultsFile, text);
  });
});

/** Options are refused before anything runs, as are early refusals. */
function expectsRun({ isEarly, outcome }: Attack): boolean {
  return isEarly !== true && !["INVALID_OPTION", "UNSUPPORTED_CONVERSION"].includes(outcome);
}

async function attackOnce(attack: Attack, to: string): Promise<void> {
  const { fileName, query, outcome } = attack;
  const content = attack.content(aim);
  const hops = attack.isEarly === true ? await hopsOf(server) : 0;
  using memory = watchMemory(server);
  const [begun, startedAt] = [await processorSecondsOf(server.child.pid), performance.now()];
  const upload = { to, fileName, content, ...(query === undefined ? {} : { query }) };
  const mayRunOut = outcome === "is bounded" || outcome === "CONVERSION_TIMEOUT";
  const answer = await (mayRunOut ? convertInTime(upload) : convertPatiently(upload));
  if (answer.jobId !== undefined) await removeJob(server, answer.jobId);
  const found = answer.status === 200 ? "converts" : `${answer.status} ${answer.code}`;
  const expected =
    outcome === "is bounded"
      ? boundedOutcomes
      : [outcome === "converts" ? outcome : `${outcome === "INVALID_OPTION" ? 400 : 422} ${outcome}`];
  expect({ to, found: expected.includes(found) ? expected : found }).toEqual({ to, found: expected });
  if (answer.status === 200) expect(await leakOf(answer.body, to, canaries.secret)).toBe(undefined);
  if (answer.status === 200) expect(unsafePartsOf(answer.body)).toEqual([]);
  expect(`${answer.body}${JSON.stringify([...answer.headers])}`).not.toContain(canaries.secret);
  if (answer.status !== 200) expect(answer.body.toString()).not.toMatch(/\/(tmp|job|usr|input)\//);
  if (attack.isEarly === true) expect(await hopsOf(server)).toBe(hops);
  expect(memory.growthBytes()).toBeLessThan(maxGrowthBytes);
  const spent = (await processorSecondsOf(server.child.pid)) - begun;
  expect(spent).toBeLessThan(maxMainSeconds((performance.now() - startedAt) / 1000));
}

async function openTarget(): Promise<void> {
  try {
    await startWithShortLimit();
    aim = { ...canaries.aim, neighbour: await storeNeighboursFile() };
    for (const engine of aimedEngines) await expectHarmless(engine);
  } catch (error) {
    if (!wasTooSlow) throw error;
    await lengthenLimit();
    return openTarget();
  }
  before = await footprintAtRest(server);
}

/** With a new server, because the limit is one of its settings. */
async function lengthenLimit(): Promise<void> {
  await server[Symbol.asyncDispose]();
  limitMs = Math.min(2 * limitMs, longestLimitMs);
  wasTooSlow = false;
}

async function startWithShortLimit(): Promise<void> {
  for (;;) {
    server = await startServer({ CONVERSION_TIMEOUT_MS: String(limitMs), JOB_MEMORY_MB: String(jobMemoryMb), WEBHOOK_PORTS: "1024-65535" });
    if (limitMs >= longestLimitMs) return;
    // Not every engine is warm before the second time.
    await slowestHarmlessMs();
    if ((await slowestHarmlessMs()) < limitMs / 3) return;
    await lengthenLimit();
  }
}

async function slowestHarmlessMs(): Promise<number> {
  let slowestMs = 0;
  for (const engine of aimedEngines) {
    const startedAt = performance.now();
    const { jobId = "" } = await convert(server, harmless[engine]);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    await removeJob(server, jobId);
  }
  return slowestMs;
}

async function convertInTime(upload: Upload): Promise<Answer> {
  const startedAt = performance.now();
  const answer = await convert(server, upload);
  expect(performance.now() - startedAt).toBeLessThan(maxAnswerMs());
  return answer;
}

/** The time limit is short for good files too, on a machine with other work. */
async function convertPatiently(upload: Upload): Promise<Answer> {
  let answer = await convertInTime(upload);
  for (let more = 2; more > 0 && answer.code === "CONVERSION_TIMEOUT"; more--) {
    await removeJob(server, answer.jobId ?? "");
    answer = await convertInTime(upload);
  }
  if (answer.code !== "CONVERSION_TIMEOUT" || limitMs >= longestLimitMs) return answer;
  wasTooSlow = true;
  throw new Error(tooSlow);
}

/** The engine's next job. */
async function expectHarmless(engine: keyof typeof harmless): Promise<void> {
  const answer = await convertPatiently(harmless[engine]);
  expect({ engine, status: answer.status, code: answer.code }).toEqual({ engine, status: 200, code: undefined });
  if (answer.jobId !== undefined) await removeJob(server, answer.jobId);
}

/** Stores a file of another account for the duration of the attacks. Returns its path on the host. */
async function storeNeighboursFile(): Promise<string> {
  await runCli(server, ["accounts", "create", "neighbour@example.org", "--plan", "plus"]);
  const key = (await runCli(server, ["keys", "create", "neighbour@example.org"])).trim();
  const { status } = await convertPatiently({ to: "html", fileName: "a.md", content: `# ${canaries.secret}\n`, key });
  expect(status).toBe(200);
  // Only the result, once the input is gone.
  const stored = () => filesUnder(join(server.dataDir, "blobs"));
  await eventually(async () => expect(await stored()).toHaveLength(1));
  const [file = ""] = await stored();
  return file;
}
