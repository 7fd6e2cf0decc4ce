import { afterEach, describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, type Part, toPart } from "#test/gateway/raw-client.ts";
import { png } from "#test/gateway/samples.ts";
import { key, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

describe("parsing multipart uploads", () => {
  const stage = opened(openStage);
  afterEach(async () => {
    // Clean-up may continue after the answer.
    await expect.poll(() => stage.stored()).toEqual(stage.created.map((request) => request.input?.id).toSorted());
  });

  async function post(body: Buffer, contentType?: string) {
    const client = await openRaw(stage.port);
    client.send(Buffer.concat([Buffer.from(headOf(key, [`Content-Length: ${body.length}`], "", contentType)), body]));
    const answer = await client.answer();
    client.socket.destroy();
    return { status: answer.status, body: JSON.parse(answer.body) };
  }

  const file = filePart(png);
  const to = toPart("webp");
  const field = (name: string): Part => ({ head: `Content-Disposition: form-data; name="${name}"`, body: "x" });

  it.each<[string, readonly Part[]]>([
    ["to first", [to, file]],
    ["file first", [file, to]],
    ["to in upper case with a dot", [toPart(".WebP"), file]],
    ["to with a trailing line break", [toPart("webp\r\n"), file]],
  ])("accepts %s", async (_name, parts) => {
    const answer = await post(bodyOf(parts));
    expect(answer).toMatchObject({ status: 200, body: { job: { status: "done", to: "webp" } } });
  });

  it.each([
    ["a%22b%0D%0A.png", 'a"b\r\n.png'],
    ["100%25 %2e%.png", "100%25 %2e%.png"],
  ])("decodes the file name %s as its client meant it", async (sent, meant) => {
    expect(await post(bodyOf([to, filePart(png, sent)]))).toMatchObject({ status: 200 });
    expect(stage.created.at(-1)).toMatchObject({ sourceName: meant });
  });

  it.each<[string, readonly Part[], number, string, unknown]>([
    ["no to", [file], 400, "MISSING_FIELD", { field: "to" }],
    ["an empty to", [toPart(" "), file], 400, "MISSING_FIELD", { field: "to" }],
    ["no file", [to], 400, "MISSING_FIELD", { field: "file" }],
    ["nothing", [], 400, "MISSING_FIELD", { field: "to" }],
    ["to as a file", [filePart("webp", "to.txt", "to"), file], 400, "MISSING_FIELD", { field: "to" }],
    ["file as a field", [to, field("file")], 400, "MISSING_FIELD", { field: "file" }],
    ["two files", [to, file, file], 400, "UNEXPECTED_FIELD", { field: "file" }],
    ["two tos", [to, to, file], 400, "UNEXPECTED_FIELD", { field: "to" }],
    ["a third field before", [field("quality"), to, file], 400, "UNEXPECTED_FIELD", { field: "quality" }],
    ["a third field after", [to, file, field("quality")], 400, "UNEXPECTED_FIELD", { field: "quality" }],
    ["a field named __proto__", [field("__proto__"), to, file], 400, "UNEXPECTED_FIELD", undefined],
    ["a file named constructor", [to, file, filePart("x", "x", "constructor")], 400, "UNEXPECTED_FIELD", undefined],
    ["10 000 fields", [to, file, ...Array.from({ length: 10_000 }, (_, i) => field(`f${i}`))], 400, "UNEXPECTED_FIELD", { field: "f0" }],
    ["an empty file", [to, filePart("")], 422, "INVALID_INPUT", undefined],
    ["a to of 10 KB", [toPart("w".repeat(10_240)), file], 422, "UNSUPPORTED_TARGET", { to: "w".repeat(32) }],
    ["a to with a path", [toPart("../../etc/passwd"), file], 422, "UNSUPPORTED_TARGET", { to: "../../etc/passwd" }],
    ["a to with a null byte", [toPart("png\0"), file], 422, "UNSUPPORTED_TARGET", undefined],
    ["unknown content and name", [to, filePart(Buffer.from([0, 1, 2, 3, 255]), "what")], 415, "UNKNOWN_SOURCE_FORMAT", undefined],
    [
      "a JSON field",
      [{ head: 'Content-Disposition: form-data; name="to"\r\nContent-Type: application/json', body: "[1]" }, file],
      400,
      "BAD_REQUEST",
      undefined,
    ],
  ])("answers %s", async (_name, parts, status, code, details) => {
    const answer = await post(bodyOf(parts));
    expect(answer).toMatchObject({ status, body: { error: { code, requestId: expect.any(String) } } });
    if (details !== undefined) expect(answer.body.error.details).toEqual(details);
  });

  it.each<[string, Buffer, string, number, string]>([
    ["no final boundary", bodyOf([to, file], ""), "multipart/form-data; boundary=XX", 400, "BAD_REQUEST"],
    ["a wrong boundary", bodyOf([to, file]), "multipart/form-data; boundary=YY", 400, "BAD_REQUEST"],
    ["no boundary", bodyOf([to, file]), "multipart/form-data", 400, "BAD_REQUEST"],
    [
      "line feeds alone",
      Buffer.from(
        bodyOf([to, filePart("x")])
          .toString("latin1")
          .replaceAll("\r\n", "\n"),
      ),
      "multipart/form-data; boundary=XX",
      400,
      "BAD_REQUEST",
    ],
    ["a truncated body", bodyOf([to, file]).subarray(0, 180), "multipart/form-data; boundary=XX", 400, "BAD_REQUEST"],
    ["an empty body", Buffer.alloc(0), "multipart/form-data; boundary=XX", 400, "MISSING_FIELD"],
    ["JSON", Buffer.from("{}"), "application/json", 415, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "nested multipart",
      bodyOf([
        {
          head: 'Content-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=YY',
          body: "--YY\r\n\r\nx\r\n--YY--",
        },
        to,
      ]),
      "multipart/form-data; boundary=XX",
      400,
      "MISSING_FIELD",
    ],
    [
      "20 000 headers in a part",
      bodyOf([{ head: `Content-Disposition: form-data; name="to"\r\n${"X-A: b\r\n".repeat(20_000)}X-B: c`, body: "webp" }]),
      "multipart/form-data; boundary=XX",
      400,
      "MISSING_FIELD",
    ],
    ["a field name of 1 MB", bodyOf([field("n".repeat(1 << 20)), to, file]), "multipart/form-data; boundary=XX", 400, "UNEXPECTED_FIELD"],
  ])("answers %s", async (_name, body, contentType, status, code) => {
    expect(await post(body, contentType)).toMatchObject({ status, body: { error: { code } } });
  });

  it("ignores a short epilogue and rejects an endless one", async () => {
    expect((await post(bodyOf([to, file], "--XX--\r\nbye"))).status).toBe(200);
    const client = await openRaw(stage.port);
    client.send(headOf(key, ["Transfer-Encoding: chunked"]));
    const body = bodyOf([to, file], `--XX--\r\n${"x".repeat(7_000_000)}`);
    client.send(Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body]));
    const answer = await client.answer();
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toMatchObject({
      status: 400,
      body: { error: { code: "BAD_REQUEST" } },
    });
  });

  it.each([0, 1, 50, 99])("stores nothing of a body that ends after %i %%", async (percent) => {
    const before = stage.created.length;
    const body = bodyOf([to, filePart(Buffer.alloc(200_000, 1))]);
    for (const end of ["fin", "rst"] as const) {
      const client = await openRaw(stage.port);
      client.send(headOf(key, [`Content-Length: ${body.length}`]));
      client.send(body.subarray(0, Math.floor((body.length * percent) / 100)));
      if (end === "fin") client.socket.end();
      else setTimeout(() => client.socket.resetAndDestroy(), 20);
      await client.until(() => false);
    }
    await expect.poll(() => stage.stored()).toHaveLength(before);
    expect(stage.created).toHaveLength(before);
  });
});
