import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inOwnWords } from "#gateway/cli/own-words.ts";
import { filemill } from "./command-line.ts";

test("prints help for every command on stdout", async () => {
  const { code, out } = await filemill(["--help"]);
  expect(code).toBe(0);
  for (const command of ["convert", "doctor", "formats", "accounts", "keys"]) {
    expect(out).toContain(`\n  ${command}`);
    expect((await filemill([command, "--help"])).out).toMatch(new RegExp(`^Usage: filemill ${command}`));
  }
});

test.each([
  [[]],
  [["nothing"]],
  [["keys"]],
  [["keys", "create"]],
  [["accounts", "create", "a@example.org"]],
  [["convert", "in.png"]],
  [["convert", "in.png", "out.webp", "extra"]],
  [["convert", "in.png", "out.webp", "--opt", "quality"]],
  [["convert", "in.png", "out.webp", "--opt", "=80"]],
  [["formats", "--nope"]],
])("exits with 2 on wrong usage and explains it on stderr: %j", async (args) => {
  const said = await filemill(args);
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.err).not.toBe("");
});

test("says its version", async () => {
  expect(await filemill(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

test.each([
  [["convert", "gone.png", "out.webp"], /^INVALID_INPUT: \/\S+gone\.png does not exist; check the path\.$/],
  [["convert", "package.json", "out.wepb"], /^UNSUPPORTED_TARGET: .*did you mean webp\?$/],
  [["convert", "package.json", "out.bin", "--to", "wepb"], /^UNSUPPORTED_TARGET: --to wepb .*did you mean webp\?$/],
  [["convert", "package.json", "out.yaml", "--from", "wepb"], /^UNKNOWN_SOURCE_FORMAT: --from wepb .*did you mean webp\?$/],
  [["convert", "package.json", "nowhere/out.yaml"], /^BAD_REQUEST: The output folder \/\S+nowhere does not exist/],
  [["convert", "gateway", "out.webp"], /^BAD_REQUEST: \/\S+gateway is a folder; use --out-dir/],
  [["convert", "package.json", "./package.json"], /^BAD_REQUEST: .*overwrite/],
  [["watch", "nowhere", "--to", "pdf"], /^BAD_REQUEST: \/\S+nowhere is not a folder\.$/],
  [["routes", "png", "wepb"], /^UNSUPPORTED_CONVERSION: There is no format "wepb"; did you mean webp\?$/],
])("reports invalid arguments before opening the library: %j", async (args, told) => {
  // There is no library to open here.
  expect(await filemill(args, { callerFolder: process.cwd() })).toMatchObject({ code: 1, out: "", err: expect.stringMatching(told) });
});

test("rejects a result that would overwrite another input before opening the library", async () => {
  const callerFolder = mkdtempSync(join(tmpdir(), "filemill-program-"));
  try {
    mkdirSync(join(callerFolder, "in/in"), { recursive: true });
    for (const name of ["in/a.webp", "in/in/a.png"]) writeFileSync(join(callerFolder, name), name);
    const said = await filemill(["convert", "in", "--out-dir", ".", "--to", "webp"], { callerFolder });
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/^BAD_REQUEST: .*in\/in\/a\.png would overwrite .*in\/a\.webp/) });
  } finally {
    rmSync(callerFolder, { recursive: true });
  }
});

/** Messages that only handwritten requests can cause. */
const neverMet =
  /multipart|Content-Encoding|query parameter|Host header|Prefer|X-Filemill|Idempotency-Key|headers (arrived|are)|than its header|headers of a message|does not fetch files/;

test("messages refer to command-line options instead of headers and URLs", () => {
  const folders = [
    "services/job",
    "services/account",
    "services/catalogue",
    "services/kit",
    "services/conversion",
    "gateway/rest",
    "gateway/access",
  ];
  const sources = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)));
  const texts = sources
    .filter((path) => path.endsWith(".ts") && !path.includes("endpoint"))
    .flatMap((path) => readFileSync(path, "utf8").match(/(["`])[A-Z](?:\\.|(?!\1)[^\\\n])*[.?)]\1/g) ?? []);
  const theirs = texts
    .map((text) => text.slice(1, -1).replaceAll("\\`", "`"))
    .filter(
      (text) =>
        /(in|with) the header|Authorization header|X-|(GET|POST|PUT|DELETE) \/|\?from|Bearer|\/api\//.test(text) &&
        !neverMet.test(text) &&
        !text.startsWith("Encrypt"),
    );
  expect(theirs.length).toBeGreaterThan(5);
  const messages = [
    ...theirs,
    "There is no such format; GET /api/v1/formats lists them all.",
    `Make room. ${"Delete jobs (DELETE /api/v1/jobs/{id}, or on the page /jobs)"}.`,
  ];
  for (const message of messages)
    expect(inOwnWords(message), message).not.toMatch(/(in|with) the header|Authorization|X-|GET |DELETE |\?from|Bearer|\/api\//);
  expect(inOwnWords("Choose some by `pages=1-500`.")).toBe("Choose some by --opt pages=1-500.");
  expect(inOwnWords("The file is damaged.")).toBe("The file is damaged.");
});

test("the manual page documents every command with its options", async () => {
  const { out } = await filemill(["manual"]);
  expect(out).toMatch(/^\.TH FILEMILL 1 /);
  for (const command of ["convert", "join", "watch", "inspect", "routes", "mcp", "accounts create", "keys revoke"])
    expect(out).toMatch(new RegExp(`^\\.SS filemill ${command}`, "m"));
  expect(out).toContain("\\-\\-out\\-dir <folder>");
});
