/** One rule for pages, sheets and tracks: the default, what an option selects, and what `…=all` returns. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as workbooks from "@e965/xlsx";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const server = opened(startServer);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-several-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Got = { readonly status: number; readonly type: string; readonly name: string; readonly bytes: Buffer; readonly notes: string[] };

async function convert(file: string, content: Uint8Array | string, to: string, options: Record<string, string> = {}): Promise<Got> {
  const body = new FormData();
  body.set("to", to);
  body.set("file", new Blob([Buffer.from(content)]), file);
  const query = new URLSearchParams({ download: "1", ...options });
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/v1/convert?${query}`, { method: "POST", body, headers });
  const notes: { code: string }[] = JSON.parse(answer.headers.get("x-notes") ?? "[]");
  return {
    status: answer.status,
    type: answer.headers.get("content-type") ?? "",
    name: /filename="?([^";]*)/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "",
    bytes: Buffer.from(await answer.arrayBuffer()),
    notes: notes.map(({ code }) => code),
  };
}

/** The members of an archive as libarchive reads them. */
async function membersOf({ bytes }: Got): Promise<ReadonlyMap<string, Buffer>> {
  const path = join(folder, "result.zip");
  await writeFile(path, bytes);
  const names = (await run("bsdtar", ["-tf", path])).stdout.trim().split("\n");
  const members = new Map<string, Buffer>();
  for (const name of names) {
    members.set(name, (await run("bsdtar", ["-xOf", path, name], { encoding: "buffer", maxBuffer: 2 ** 26 })).stdout);
  }
  return members;
}

function errorOf({ status, bytes }: Got) {
  return { status, code: JSON.parse(bytes.toString()).error.code };
}

describe("pages of a PDF", () => {
  const pdf = pdfOf(["first", "second", "third"]);

  it("are left out except for the first, with a note", async () => {
    const got = await convert("a.pdf", pdf, "png");
    expect(got).toMatchObject({ status: 200, type: "image/png", name: "a.png", notes: ["PAGES_LEFT_OUT"] });
    const third = await convert("a.pdf", pdf, "svg", { page: "3" });
    expect(third.notes).toEqual(["PAGES_LEFT_OUT"]);
    expect((await convert("one.pdf", pdfOf(["only"]), "png")).notes).toEqual([]);
  });

  it("become numbered files in an archive with its own type and name", async () => {
    const got = await convert("a.pdf", pdf, "png", { pages: "all", width: "100" });
    expect(got).toMatchObject({ status: 200, type: "application/zip", name: "a.zip", notes: ["SEVERAL_FILES"] });
    const members = await membersOf(got);
    expect([...members.keys()]).toEqual(["page-1.png", "page-2.png", "page-3.png"]);
    for (const bytes of members.values()) expect(await sharp(bytes).metadata()).toMatchObject({ format: "png", width: 100 });
    expect(new Set([...members.values()].map((bytes) => bytes.toString("base64"))).size).toBe(3);
  });

  it("can be selected, even if more hops follow the one that takes pages", async () => {
    const got = await convert("a.pdf", pdf, "gif", { pages: "1,3" });
    expect(got.notes).toEqual(expect.arrayContaining(["PAGES_LEFT_OUT", "SEVERAL_FILES"]));
    const members = await membersOf(got);
    expect([...members.keys()]).toEqual(["page-1.gif", "page-3.gif"]);
    for (const bytes of members.values()) expect((await sharp(bytes).metadata()).format).toBe("gif");
  });

  it("keep the target in the job, whose download is the archive", async () => {
    const body = new FormData();
    body.set("to", "jpg");
    body.set("file", new Blob([pdf]), "a.pdf");
    const headers = { authorization: `Bearer ${server.key}` };
    const answer = await fetch(`${server.url}/api/v1/convert?pages=2-3`, { method: "POST", body, headers });
    const { job } = JSON.parse(await answer.text());
    expect(job).toMatchObject({ status: "done", from: "pdf", to: "jpg" });
    const got = await fetch(job.download, { headers });
    expect(got.headers.get("content-type")).toBe("application/zip");
    expect(Buffer.from(await got.arrayBuffer()).length).toBe(job.bytes);
  });

  it("are rejected if they do not exist, as are both options at once", async () => {
    for (const options of [
      { page: "4" },
      { pages: "2-4" },
      { pages: "3-2" },
      { pages: "0" },
      { pages: "al" },
      { page: "1", pages: "all" },
    ]) {
      expect(errorOf(await convert("a.pdf", pdf, "png", options)).code, JSON.stringify(options)).toBe("INVALID_OPTION");
    }
  });
});

describe("sheets of a workbook", () => {
  const sheet = (name: string, cell: string) =>
    `<table:table table:name="${name}"><table:table-row>${["a", cell].map((text) => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`).join("")}</table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>y</text:p></table:table-cell></table:table-row></table:table>`;
  const book = `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>${sheet("Income", "one")}${sheet("Costs (2026)", "two")}</office:spreadsheet></office:body></office:document>`;

  it("to JSON: all in one file, or one by name", async () => {
    const all = await convert("b.fods", book, "json");
    expect([all.notes, Object.keys(JSON.parse(all.bytes.toString()))]).toEqual([[], ["Income", "Costs (2026)"]]);
    const second = await convert("b.fods", book, "json", { sheet: "costs (2026)" });
    expect([second.bytes.toString().includes("two"), second.bytes.toString().includes("one")]).toEqual([true, false]);
  });

  it("to CSV: the first, one by number or name, or all", async () => {
    const to = "csv";
    const first = await convert("b.fods", book, to);
    expect(first.notes).toEqual(["SHEETS_LEFT_OUT"]);
    expect(first.bytes.toString()).toContain("one");
    for (const which of ["2", "costs (2026)"]) {
      const second = await convert("b.fods", book, to, { sheet: which });
      expect(second.bytes.toString(), which).toContain("two");
    }
    expect(errorOf(await convert("b.fods", book, to, { sheet: "Profit" }))).toMatchObject({ code: "INVALID_OPTION" });
    const all = await convert("b.fods", book, to, { sheets: "all" });
    expect(all).toMatchObject({ type: "application/zip", name: "b.zip", notes: ["SEVERAL_FILES"] });
    const members = await membersOf(all);
    expect([...members.keys()]).toEqual([`sheet-1-Income.${to}`, `sheet-2-Costs _2026_.${to}`]);
    expect([...members.values()].map((bytes) => bytes.toString().includes("two"))).toEqual([false, true]);
  });
});

it("a workbook's empty and hidden sheets are left out, with a note", async () => {
  const { utils, write } = workbooks;
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([["a"], [1]]), "Prices");
  utils.book_append_sheet(book, utils.aoa_to_sheet([]), "Sheet2");
  utils.book_append_sheet(book, utils.aoa_to_sheet([["b"], [2]]), "Secret");
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 0 }, { Hidden: 1 }] };
  const all = await convert("b.xlsx", write(book, { type: "buffer", bookType: "xlsx" }), "csv", { sheets: "all" });
  expect(all.notes.toSorted()).toEqual(["SEVERAL_FILES", "SHEETS_LEFT_OUT"]);
  expect([...(await membersOf(all)).keys()]).toEqual(["sheet-1-Prices.csv"]);
});

describe("audio tracks of a video", () => {
  let film: Buffer;
  beforeAll(async () => {
    const path = join(folder, "film.mkv");
    const tone = (hertz: number) => ["-f", "lavfi", "-i", `sine=frequency=${hertz}:duration=1`];
    const picture = ["-f", "lavfi", "-i", "testsrc=size=64x48:duration=1"];
    const tracks = ["-map", "0", "-map", "1", "-map", "2", "-disposition:a:0", "0", "-disposition:a:1", "default"];
    const names = ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fra"];
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...picture, ...tone(400), ...tone(900), ...tracks, ...names, path]);
    film = await readFile(path);
  });

  /** Zero crossings per second, halved: the pitch of a pure tone. */
  async function pitchOf(bytes: Uint8Array): Promise<number> {
    const path = join(folder, "sound");
    await writeFile(path, bytes);
    const args = ["-nostdin", "-v", "error", "-i", path, "-ac", "1", "-ar", "8000", "-f", "s16le", "-"];
    const { stdout } = await run("ffmpeg", args, { encoding: "buffer", maxBuffer: 2 ** 24 });
    let crossings = 0;
    for (let at = 2; at + 1 < stdout.length; at += 2) if (stdout.readInt16LE(at) >= 0 !== stdout.readInt16LE(at - 2) >= 0) crossings += 1;
    return (crossings / 2 / (stdout.length / 2)) * 8000;
  }

  it("can be the default one, another one, or all", async () => {
    const usual = await convert("f.mkv", film, "wav");
    expect(usual.notes).toEqual(["TRACKS_LEFT_OUT"]);
    expect(await pitchOf(usual.bytes)).toBeCloseTo(900, -2);
    expect(await pitchOf((await convert("f.mkv", film, "wav", { track: "1" })).bytes)).toBeCloseTo(400, -2);
    const members = await membersOf(await convert("f.mkv", film, "mp3", { tracks: "all" }));
    expect([...members.keys()]).toEqual(["track-1-eng.mp3", "track-2-fra.mp3"]);
    expect(await pitchOf(members.get("track-2-fra.mp3") ?? Buffer.alloc(0))).toBeCloseTo(900, -2);
    expect(errorOf(await convert("f.mkv", film, "wav", { track: "3" })).code).toBe("INVALID_OPTION");
  });
});

describe("pictures in one file", () => {
  const colours = ["#ff0000", "#00ff00", "#0000ff"];
  const stack = async (format: "gif" | "tiff") => {
    const frames = colours.map((background) => ({ create: { width: 8, height: 8, channels: 3 as const, background } }));
    const pages = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()));
    const stacked = sharp(pages, { join: { animated: true } });
    return (format === "gif" ? stacked.gif() : stacked.tiff({ compression: "deflate" })).toBuffer();
  };
  const colourOf = async (bytes: Uint8Array) => [...(await sharp(bytes).removeAlpha().raw().toBuffer()).subarray(0, 3)];

  it.each([
    ["gif", "png", "ANIMATION_REDUCED"],
    ["tiff", "png", "PAGES_LEFT_OUT"],
    ["tiff", "bmp", "PAGES_LEFT_OUT"],
  ] as const)("%s to %s: the first, another one, or all", async (from, to, note) => {
    const file = await stack(from);
    const first = await convert(`c.${from}`, file, to);
    expect(first.notes).toEqual([note]);
    const png = async (bytes: Buffer) => (to === "png" ? bytes : (await convert("x.bmp", bytes, "png")).bytes);
    expect(await colourOf(await png(first.bytes))).toEqual([255, 0, 0]);
    expect(await colourOf(await png((await convert(`c.${from}`, file, to, { page: "3" })).bytes))).toEqual([0, 0, 255]);
    const all = await convert(`c.${from}`, file, to, { pages: "all" });
    expect(all.notes).toEqual(["SEVERAL_FILES"]);
    const members = await membersOf(all);
    expect([...members.keys()]).toEqual([1, 2, 3].map((number) => `page-${number}.${to}`));
    expect(await colourOf(await png(members.get(`page-2.${to}`) ?? Buffer.alloc(0)))).toEqual([0, 255, 0]);
    expect(errorOf(await convert(`c.${from}`, file, to, { page: "4" })).code).toBe("INVALID_OPTION");
  });
});
