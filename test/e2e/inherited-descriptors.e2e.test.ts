/** Descriptors open in the process that started the service used to be open in every engine and the broker, too. */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { post } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";

const corpus = "test/corpus/typical";
/** A warm office, a warm Node, and tools that run once. */
const conversions = [
  ["document/typical.docx", "pdf"],
  ["data/typical.csv", "json"],
  ["document/typical.md", "html"],
  ["audio/typical.wav", "mp3"],
] as const;

test("no process of the service inherits its parent's open files or folders", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "filemill-inherited-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "secret"), "secret");
  const open = [openSync(join(folder, "secret"), "r"), openSync(join(folder, "secret"), "r+"), openSync(folder, "r")];
  stack.defer(() => open.forEach(closeSync));
  const forbidden = new Set(open.map((descriptor) => idOf(fstatSync(descriptor))));

  const server = stack.use(await startServer({}, undefined, [], open));
  const seen = new Set<string>();
  const leaks = new Set<string>();
  const look = () => {
    for (const pid of treeOf(server.child.pid ?? 0)) {
      const name = nameOf(pid);
      seen.add(name);
      for (const [descriptor, id] of descriptorsOf(pid)) if (forbidden.has(id)) leaks.add(`${name} has ${descriptor}`);
    }
  };
  let over = false;
  const answers = conversions.map(async ([path, to]) => {
    const answer = await post(server, { to, name: basename(path), file: await readFile(join(corpus, path)) });
    await answer.arrayBuffer();
    return answer.status;
  });
  const all = Promise.all(answers).finally(() => {
    over = true;
  });
  for (; !over; await sleep(2)) look();
  expect(await all).toEqual(conversions.map(() => 200));
  expect([...leaks]).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining(["nats-server", "bwrap", "soffice.bin"]));
  // Node renames itself after its main thread once it runs.
  expect(seen.has("node") || seen.has("MainThread")).toBe(true);
  expect([...seen].some((name) => name === "pandoc" || name === "ffmpeg")).toBe(true);
});

type Identified = { readonly dev: number; readonly ino: number };
const idOf = ({ dev, ino }: Identified): string => `${dev}:${ino}`;

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

function descriptorsOf(pid: number): readonly (readonly [descriptor: string, id: string])[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => [descriptor, idOf(statSync(`/proc/${pid}/fd/${descriptor}`))]);
  } catch {
    return [];
  }
}
