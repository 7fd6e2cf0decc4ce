/**
 * Every curl line that Filemill prints, pasted into a shell: with an icon,
 * with a video that takes longer than a request waits, and with a broken file.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { curlBlock } from "#gateway/curl-line.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const readmeAddress = "http://127.0.0.1:8080";

/** Nothing is done by the time the request stops waiting: each result is fetched through the redirect. */
const hasty = opened(() => startServer({ INLINE_WAIT_MS: "0" }));
const patient = opened(startServer);
let icon: Buffer;
beforeAll(async () => {
  icon = await sharp({ create: { width: 40, height: 20, channels: 3, background: "#204060" } })
    .jpeg()
    .toBuffer();
});

type Printed = { readonly place: string; readonly line: string };

async function printedBy(server: TestServer): Promise<Printed[]> {
  const readme = (await readFile("README.md", "utf8")).replaceAll(readmeAddress, server.url);
  const lines: Printed[] = [
    ...commandsIn(server.out()).map((line) => ({ place: "the first start", line })),
    ...commandsIn(readme).map((line) => ({ place: "README.md", line })),
  ];
  for (const path of ["/", "/jobs", "/automate", "/docs", "/docs/formats", "/docs/errors", "/no-such-page"]) {
    const page = await (await fetch(server.url + path, { headers: { accept: "text/html" } })).text();
    for (const line of commandsIn(textOf(page))) lines.push({ place: path, line });
  }
  return lines;
}

/** Commands that send a file; the reference's tests run those without one, and the examples' tests run programs with arguments. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(curl (?:.*\\\n)*.*)$/gm)]
    .map(([, line = ""]) => line)
    .filter((line) => line.includes("-F ") && !line.includes("$1"));
}

function textOf(page: string): string {
  const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return page.replaceAll(/<[^>]*>/g, "\n").replaceAll(/&(\w+|#\d+);/g, (whole, sign: string) => signs[sign] ?? whole);
}

type Ran = { readonly code: number; readonly said: string; readonly files: readonly string[]; readonly result: Buffer | undefined };

/** Runs the line in a folder with only this file. */
async function paste(server: TestServer, line: string, input: string, put: (path: string) => Promise<void>): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-lines-"));
  try {
    await put(join(folder, input));
    const env = { PATH: process.env.PATH, FILEMILL_API_KEY: server.key };
    const { code, said } = await promisify(execFile)("sh", ["-c", line], { cwd: folder, env }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      (failed: { code: number; stdout: string; stderr: string }) => ({ code: failed.code, said: failed.stdout + failed.stderr }),
    );
    const files = (await readdir(folder)).filter((name) => name !== input);
    const [name] = files;
    return { code, said, files, result: name === undefined ? undefined : await readFile(join(folder, name)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const inputOf = (line: string): string => /file=@(\S+)/.exec(line)?.[1] ?? "";

test("finds curl lines in all expected places", async () => {
  const places = (await printedBy(hasty)).map(({ place }) => place);
  expect(new Set(places)).toEqual(new Set(["the first start", "README.md", "/", "/jobs", "/automate", "/docs"]));
  expect(places.filter((place) => place === "README.md")).toHaveLength(3);
});

test.each([
  ["is answered in time", () => patient],
  ["outlasts the request", () => hasty],
] as const)("every curl line converts an icon if the conversion %s", async (_name, serverOf) => {
  const server = serverOf();
  for (const { place, line } of await printedBy(server)) {
    if (inputOf(line) !== "photo.jpg") continue;
    const { result, ...ran } = await paste(server, line, "photo.jpg", (path) => writeFile(path, icon));
    expect({ place, line, ...ran }).toMatchObject({ code: 0, said: "", files: [expect.stringMatching(/\.webp$/)] });
    expect(await sharp(result).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
  }
});

test("every curl line converts a video, or a document where it names one", async () => {
  for (const { place, line } of await printedBy(hasty)) {
    const own = inputOf(line);
    const film = line
      .replace("to=webp", "to=webm")
      .replace("photo.jpg", "clip.mp4")
      .replace(/quality=80&/, "");
    const [input, sample] =
      own === "report.docx" ? [own, "test/corpus/tiny/tiny.docx"] : ["clip.mp4", "test/corpus/typical/video/typical.mp4"];
    const { result, ...ran } = await paste(hasty, film, input, (path) => copyFile(sample, path));
    expect({ place, line, ...ran }).toMatchObject({ code: 0, said: "", files: [expect.any(String)] });
    const start = result?.subarray(0, 4).toString("latin1");
    expect(start).toBe(own === "report.docx" ? "%PDF" : "\x1a\x45\xdf\xa3");
  }
});

test.each([
  ["is found broken in time", () => patient],
  ["is found broken later", () => hasty],
] as const)("a file that %s leaves no result, a reason and an exit code", async (_name, serverOf) => {
  const server = serverOf();
  for (const { place, line } of await printedBy(server)) {
    const broken = Buffer.concat([icon.subarray(0, 100), Buffer.alloc(100)]);
    const ran = await paste(
      server,
      line.replaceAll("report.docx", "photo.jpg"),
      inputOf(line).replace("report.docx", "photo.jpg"),
      (path) => writeFile(path, broken),
    );
    expect({ place, line, ...ran }).toMatchObject({
      code: 22,
      files: [],
      said: expect.stringMatching(/^(INVALID_INPUT|JOB_FAILED|UNSUPPORTED_CONVERSION): .+\.$/m),
    });
  }
});

test("a wrong key, a missing file and an unreachable server are failures too", async () => {
  const [{ line = "" } = {}] = await printedBy(hasty);
  const away = await paste(hasty, line.replace(hasty.url, "http://127.0.0.1:9"), "photo.jpg", (path) => writeFile(path, icon));
  expect(away).toMatchObject({ code: 7, files: [] });
  const missing = await paste(hasty, line, "another.jpg", (path) => writeFile(path, icon));
  expect(missing).toMatchObject({ code: 26, files: [], said: expect.stringContaining("curl: (26)") });
  const refused = await paste(hasty, line.replace(hasty.key, "fm_wrong"), "photo.jpg", (path) => writeFile(path, icon));
  expect(refused).toMatchObject({ code: 22, files: [], said: expect.stringContaining("INVALID_API_KEY: ") });
});

test("the shell example makes the same call", async () => {
  const program = await readFile("gateway/examples/rest.sh", "utf8");
  const call = curlBlock({ baseUrl: "$FILEMILL_SERVER", to: '"$2"', file: '"$1"', result: '"$3"' });
  expect(program).toContain(call);
});
