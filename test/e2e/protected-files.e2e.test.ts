import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { opened } from "#test/harness/opened.ts";
import { call, expectRow, post } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const folder = "test/corpus/protected";
const password = "grün 7!";

const server = opened(startServer);

async function send(name: string, to: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return post(server, { to, name, file: new Uint8Array(await readFile(join(folder, name))), headers, query: "?download=1" });
}
async function protectPdf(headers: Readonly<Record<string, string>>, query = "", to = "pdf"): Promise<Response> {
  return post(server, { to, name: "a.pdf", file: new Uint8Array(pdfOf(["Quokka"])), headers, query: `?download=1${query}` });
}
/** Whether opening it requires a password, and `password` works. */
async function isOpenedOnlyBy(bytes: Uint8Array, password: string): Promise<boolean> {
  const scratch = await mkdtemp(join(tmpdir(), "filemill-protected-"));
  try {
    const path = join(scratch, "a.pdf");
    await writeFile(path, bytes);
    // Exits with 0 if the given password does not open it, 2 if it has none, 3 if it does.
    const codeOf = (given: string) =>
      run("qpdf", ["--requires-password", `--password=${given}`, path]).then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    return (await codeOf("")) === 0 && (await codeOf(password)) === 3;
  } finally {
    await rm(scratch, { recursive: true });
  }
}
const withPassword = (text: string) => ({ "x-input-password": encodeURIComponent(text) });

describe("a protected file", () => {
  it.each([
    ["protected.docx", "txt", "Quokka"],
    ["standard.docx", "txt", "Quokka"],
    ["protected.doc", "txt", "Quokka"],
    ["protected.odt", "md", "Quokka"],
    ["protected.xlsx", "csv", "zebracell"],
    ["protected.xls", "csv", "zebracell"],
    ["protected.ods", "csv", "zebracell"],
    ["protected.pdf", "txt", "Quokka"],
  ])("%s is converted to %s with its password, and refused without it or with a wrong one", async (name, to, word) => {
    const answer = await send(name, to, withPassword(password));
    const text = await answer.text();
    expect([answer.status, text.includes(word)], text.slice(0, 500)).toEqual([200, true]);
    await expectRow(await send(name, to), { status: 422, code: "PASSWORD_REQUIRED" });
    await expectRow(await send(name, to, withPassword("another")), { status: 422, code: "PASSWORD_REQUIRED" });
  });

  it.each(["protected.pptx", "protected.odp"])("%s is converted to a PDF with its pages", async (name) => {
    const answer = await send(name, "pdf", withPassword(password));
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).toString("latin1", 0, 5)]).toEqual([200, "%PDF-"]);
  });

  it("may be an archive", async () => {
    const answer = await send("protected.zip", "tar", withPassword("green 7"));
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).includes("dir/p.png")]).toEqual([200, true]);
    await expectRow(await send("protected.zip", "tar", withPassword("green 8")), { status: 422, code: "PASSWORD_REQUIRED" });
  });

  it("is made from a PDF with a password that is stored nowhere, and can be opened with it", async () => {
    const secret = "geheim ü 42";
    const made = await protectPdf({ "x-output-password": encodeURIComponent(secret) }, "&permissions=print");
    const file = new Uint8Array(await made.arrayBuffer());
    expect([made.status, await isOpenedOnlyBy(file, secret)]).toEqual([200, true]);
    await expectRow(await post(server, { to: "txt", name: "a.pdf", file, query: "?download=1" }), {
      status: 422,
      code: "PASSWORD_REQUIRED",
    });
    const opened = await post(server, { to: "pdf", name: "a.pdf", file, headers: withPassword(secret), query: "?download=1" });
    expect(Buffer.from(await opened.arrayBuffer()).includes("/Encrypt")).toBe(false);
    for (const path of await filesUnder(server.dataDir)) expect((await readFile(path)).includes(secret), path).toBe(false);
  });

  it("is never made without a password, nor by a conversion that cannot protect", async () => {
    const file = new Uint8Array(pdfOf(["Quokka"]));
    await expectRow(await post(server, { to: "pdf", name: "a.pdf", file, query: "?download=1&protect=true" }), {
      status: 422,
      code: "PASSWORD_REQUIRED",
    });
    await expectRow(await protectPdf({ "x-output-password": "abc" }, "", "txt"), { status: 400, code: "INVALID_OPTION" });
  });

  it.each(["&protect=false", "&protect=0"])("is not left unprotected by %s if a password was sent", async (query) => {
    const answer = await protectPdf({ "x-output-password": "abc" }, query);
    await expectRow(answer, { status: 400, code: "INVALID_OPTION", details: { option: "protect" } });
  });

  it("is made by a gRPC call with a password and no further option", async () => {
    const transport = remoteTransport(server.rpcUrl, server.rpcToken);
    const conversion = createClient(ConversionService, transport);
    const accountId = (await createClient(AccountService, transport).verifyKey({ key: server.key })).account?.id ?? "";
    const convert = async (options: Record<string, string>) => {
      const start = { accountId, to: "pdf", fileName: "a.pdf", options, outputPassword: "abc" };
      async function* parts() {
        yield { part: { case: "start" as const, value: start } };
        yield { part: { case: "chunk" as const, value: pdfOf(["Quokka"]) } };
      }
      const made: Uint8Array[] = [];
      for await (const { part } of conversion.convert(parts())) if (part.case === "chunk") made.push(part.value);
      return Buffer.concat(made);
    };
    expect(await isOpenedOnlyBy(await convert({}), "abc")).toBe(true);
    await expect(convert({ protect: "false" })).rejects.toThrow("remove protect=false");
  });

  it("is refused with another password under the same Idempotency-Key, and replayed with the same one", async () => {
    const ask = (password: string) => protectPdf({ "x-output-password": password, "idempotency-key": "protect" });
    expect((await ask("one")).status).toBe(200);
    expect((await ask("one")).headers.get("idempotent-replayed")).toBe("true");
    await expectRow(await ask("two"), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("can be opened by a queued job", async () => {
    const headers = { ...withPassword(password), prefer: "respond-async" };
    const { job } = JSON.parse(await (await send("protected.docx", "pdf", headers)).text());
    const ended = await (await call(server, `/api/v1/jobs/${job.id}`, { headers: { prefer: "wait=60" } })).text();
    expect(JSON.parse(ended).job).toMatchObject({ status: "done", error: null });
  });
});

describe("a password", () => {
  it("is ignored for a file that needs none", async () => {
    for (const name of ["text.docx", "text.pdf"]) {
      const file = new Uint8Array(
        await readFile(name === "text.pdf" ? "test/corpus/typical/document/typical.pdf" : "test/corpus/office/text.docx"),
      );
      expect((await post(server, { to: "txt", name, file, headers: withPassword("needless") })).status, name).toBe(200);
    }
  });

  it.each(["", "%zz", "a%0Ab", "a%00b", "%ff", "x".repeat(600)])("is rejected if it is malformed: %j", async (header) => {
    await expectRow(await post(server, { headers: { "x-input-password": header } }), { status: 400, code: "BAD_REQUEST" });
    await expectRow(await protectPdf({ "x-output-password": header }), { status: 400, code: "BAD_REQUEST" });
  });

  it("never appears in a log, record or file of the service", async () => {
    const secret = "Zwölf-Boxkämpfer-jagen";
    await send("protected.docx", "txt", withPassword(secret));
    const other = "Falsches-Üben-quält";
    const toProtect = { "x-output-password": encodeURIComponent(other) };
    expect((await protectPdf({ ...toProtect, "idempotency-key": "secret" })).status).toBe(200);
    await expectRow(await protectPdf(toProtect, "", "txt"), { status: 400, code: "INVALID_OPTION" });
    const { job } = JSON.parse(await (await send("protected.pdf", "png", { ...withPassword(secret), prefer: "respond-async" })).text());
    await call(server, `/api/v1/jobs/${job.id}`, { headers: { prefer: "wait=60" } });
    const read = async () => Promise.all((await filesUnder(server.dataDir)).map((path) => readFile(path).catch(() => Buffer.alloc(0))));
    const files = await read();
    const holds = (text: string) => files.some((bytes) => bytes.includes(text));
    expect(holds(job.id)).toBe(true);
    for (const text of [secret, encodeURIComponent(secret), "Boxk", other, encodeURIComponent(other), "Falsches"]) {
      expect(holds(text)).toBe(false);
      expect(server.log()).not.toContain(text);
    }
  });

  it("may come from a file or an environment variable on the command line", async () => {
    const scratch = await mkdtemp(join(tmpdir(), "filemill-password-"));
    try {
      const secret = join(scratch, "secret");
      await writeFile(secret, `${password}\n`);
      const convert = (to: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
        run("npm", ["run", "-s", "filemill", "--", "convert", resolve(folder, "protected.docx"), join(scratch, to), ...args], {
          env: { ...process.env, DATA_DIR: scratch, FILEMILL_API_KEY: server.key, ...env },
        });
      await convert("here.txt", [], { FILEMILL_INPUT_PASSWORD: password });
      await convert("there.txt", ["--server", server.url, "--password-file", secret]);
      for (const name of ["here.txt", "there.txt"]) expect(await readFile(join(scratch, name), "utf8")).toContain("Quokka");
      await expect(convert("nothing.txt", [])).rejects.toMatchObject({ stderr: expect.stringContaining("PASSWORD_REQUIRED") });
      const plain = join(scratch, "plain.pdf");
      await writeFile(plain, pdfOf(["Quokka"]));
      const made = join(scratch, "made.pdf");
      const protect = (...args: readonly string[]) =>
        run("npm", ["run", "-s", "filemill", "--", "convert", plain, made, ...args], { env: { ...process.env, DATA_DIR: scratch } });
      const empty = join(scratch, "empty");
      await writeFile(empty, "\n");
      await expect(protect("--protect-file", empty)).rejects.toMatchObject({
        stderr: expect.stringContaining("The password file is empty."),
      });
      await expect(protect("--protect-file", secret, "--opt", "protect=false")).rejects.toMatchObject({
        stderr: expect.stringContaining("remove --opt protect=false"),
      });
      await expect(readFile(made)).rejects.toThrow();
      await protect("--protect-file", secret);
      expect(await isOpenedOnlyBy(await readFile(made), password)).toBe(true);
    } finally {
      await rm(scratch, { recursive: true });
    }
  });
});
