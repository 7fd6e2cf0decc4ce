import { expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";
import { zipFile } from "#test/harness/zip-file.ts";

const server = opened(startServer);

async function convert(name: string, content: string | Uint8Array<ArrayBuffer>, fields: Readonly<Record<string, string>>) {
  const body = new FormData();
  const { to = "", ...options } = fields;
  body.set("to", to);
  body.set("file", new Blob([content]), name);
  const query = new URLSearchParams(options);
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/v1/convert?${query}`, { method: "POST", body, headers });
  return { status: answer.status, body: await answer.text() };
}

async function resultOf(answer: { readonly body: string }): Promise<Buffer> {
  const { job } = JSON.parse(answer.body);
  const got = await fetch(job.download, { headers: { authorization: `Bearer ${server.key}` } });
  return Buffer.from(await got.arrayBuffer());
}

test.each([
  ["people.csv", "name,age\nÜ,7\n", { to: "json", indent: "0" }, '[{"name":"Ü","age":7}]\n'],
  ["settings.toml", 'a = "b"\n', { to: "yaml" }, "a: b\n"],
  ["film.srt", "1\n00:00:01,000 --> 00:00:02,000\nHi\n", { to: "vtt" }, "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi\n"],
])("converts %s, detected by name and content", async (name, content, fields, wanted) => {
  const answer = await convert(name, content, fields);
  expect([answer.status, (await resultOf(answer)).toString()]).toEqual([200, wanted]);
});

test("converts an archive, and asks for the password of a protected one", async () => {
  const zip = zipFile([{ name: "a.txt", content: Buffer.from("x") }]);
  const answer = await convert("a.zip", new Uint8Array(zip), { to: "7z" });
  expect(answer.status).toBe(200);
  expect((await resultOf(answer)).toString("hex", 0, 6)).toBe("377abcaf271c");
  const locked = new Uint8Array(zip);
  const central = Buffer.from(locked).indexOf("PK\x01\x02", 0, "latin1");
  locked[central + 8] = 1;
  const refused = await convert("b.zip", locked, { to: "7z" });
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([422, "PASSWORD_REQUIRED"]);
});
