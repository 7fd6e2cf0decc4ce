/** In front of the engines: names, headers and small files that once stopped the main process, by the processor time that it spends on them. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post, type Upload } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const ticksPerSecond = 100;
/** More than a good file of the same size; the machine may be slow, but what has no end takes all of it. */
const maxSeconds = 2;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Of the main process, threads and all, without its children. */
async function processorSeconds(): Promise<number> {
  const fields = (await readFile(`/proc/${server.child.pid}/stat`, "latin1")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function spentOn(upload: Upload): Promise<number> {
  const before = await processorSeconds();
  const answer = await post(server, upload);
  await answer.arrayBuffer();
  // 500 and above are for what is wrong with us.
  expect(answer.status).toBeLessThan(500);
  return (await processorSeconds()) - before;
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, "latin1"));
const attacks: readonly (readonly [string, Upload])[] = [
  ["a bitmap of comments", { to: "pam", name: "a.pbm", file: bytes(`P1 ${"# ".repeat(60)}x`) }],
  ["a playlist of comments", { to: "wav", name: "a.mp3", query: "?from=mp3", file: bytes(`<?xml?>${"<!---->".repeat(60)}<x`) }],
  ["a width of blanks", { to: "png", name: "a.svg", file: bytes(`<svg width="1${" ".repeat(30_000)}">`) }],
  ["drawings that do not end", { to: "png", name: "a.svg", file: bytes("<svg ".repeat(13_100)) }],
  ["RTF that is all escapes", { to: "txt", name: "a.rtf", file: bytes(`{\\rtf1\\mac ${"\\'8e".repeat(1_000_000)}}`) }],
  ["a name of blanks", { name: `${" ".repeat(10_000)}.png`, query: "?download=1" }],
  ["a name of dots", { name: `${". ".repeat(5000)}.png`, query: "?download=1" }],
  ["a target of blanks", { to: " ".repeat(1000) }],
  ["a query of signs", { query: `?${"a=%20&".repeat(60)}${"b".repeat(60)}=${"+".repeat(8000)}` }],
  ["an Accept header of commas", { headers: { accept: `application/problem+json${",;q=".repeat(3000)}` } }],
  ["a Prefer header of signs", { headers: { prefer: `wait=${" ".repeat(6000)},${"a=".repeat(2000)}` } }],
  ["a cookie of signs", { headers: { cookie: "a=;".repeat(4000) } }],
  ["a list of tags", { headers: { "if-none-match": '"'.repeat(10_000) } }],
  ["a range without an end", { headers: { range: `bytes=${" ".repeat(10_000)}` } }],
];

describe("the main process spends no more time than on a good file", { timeout: 200_000 }, () => {
  it.each(attacks)("on %s", async (_what, upload) => {
    await spentOn({});
    const good = await spentOn({
      file: upload.file === undefined ? bytes("a") : bytes("a ".repeat(upload.file.length / 2)),
      name: "a.txt",
      to: "html",
    });
    expect(await spentOn(upload)).toBeLessThan(good + maxSeconds);
    expect([server.child.exitCode, server.child.signalCode]).toEqual([null, null]);
  });
});
