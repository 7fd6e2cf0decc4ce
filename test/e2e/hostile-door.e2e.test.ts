/** Hostile names and ids against the whole product; its log is checked afterwards. */
import { basename, join } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { filesUnder } from "#test/harness/folders.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";

/** Part of every name and content sent, and forbidden in every log line. */
const mark = "cAnArY7f3";

const server = opened(() => startServer({ OFFICE_SLOTS: "0", MEDIA_SLOTS: "0", LOG_LEVEL: "trace" }));
let picture: Buffer;
let sent = 0;
beforeAll(async () => {
  picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  picture = Buffer.concat([picture, Buffer.from(mark)]);
});

/** Sends exactly this target and these headers. */
async function raw(method: string, target: string, key = server.key): Promise<{ status: number; body: string }> {
  const client = await openRaw(Number(new URL(server.url).port));
  sent += 1;
  client.send(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`);
  const answer = await client.answer();
  client.socket.destroy();
  return answer;
}

async function convert(
  parts: Parameters<typeof bodyOf>[0],
  query = "",
  key = server.key,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const client = await openRaw(Number(new URL(server.url).port));
  const body = bodyOf(parts);
  sent += 1;
  client.send(Buffer.concat([Buffer.from(headOf(key, [`Content-Length: ${body.length}`, "Connection: close"], query)), body]));
  const answer = await client.answer();
  client.socket.destroy();
  return answer;
}

const codeIn = (body: string): unknown => JSON.parse(body).error?.code;

describe("a job id", () => {
  const ids = [
    ...[
      "..%2f..%2fjobs",
      "%2e%2e",
      "*",
      ">",
      "a.b",
      "$KV.jobs.%3e",
      "%00",
      "01kc00000000000000000%00",
      "x".repeat(3000),
      "__proto__",
      "constructor",
    ],
    ...[
      "%F0%9F%92%A9",
      "%c0%ae%c0%ae",
      "%",
      "%zz",
      "01KC0000000000000000000000",
      "81kc0000000000000000000000",
      "0%0d%0aSet-Cookie:a=b",
      "%e2%80%ae",
    ],
  ];
  it.each(ids)("like %j matches nothing", async (id) => {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/download"],
      ["HEAD", "/download"],
      ["GET", "/events"],
    ] as const) {
      const { status, body } = await raw(method, `/api/v1/jobs/${id}${path}`);
      expect([400, 404]).toContain(status);
      if (method !== "HEAD") expect(["JOB_NOT_FOUND", "NOT_FOUND", "BAD_REQUEST"]).toContain(codeIn(body));
    }
  });

  it("cannot reach a file by any path", async () => {
    for (const target of [
      "/../../etc/passwd",
      "/api/v1/jobs/../../../../etc/passwd",
      "//etc/passwd",
      "/docs/../../etc/passwd",
      "/style.css/..%2f..%2fpackage.json",
    ]) {
      const { status, body } = await raw("GET", target);
      expect([400, 404]).toContain(status);
      expect(body).not.toContain("root:");
      expect(body).not.toContain('"filemill"');
    }
  });
});

describe("a format id", () => {
  const hostile = [
    "../../etc/passwd",
    "png/../../x",
    "%2e%2e",
    "png\0",
    "w".repeat(10_240),
    "*",
    ">",
    "jobs.>",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "-o",
    "`id`",
    "$(id)",
    "png:x",
    "|id",
  ];
  it.each(hostile)("like %j in `to` is rejected", async (to) => {
    expect(codeIn((await convert([toPart(to), filePart(picture)])).body)).toBe("UNSUPPORTED_TARGET");
  });
  it.each(hostile)("like %j in `from` is rejected", async (from) => {
    const { body } = await convert([toPart("webp"), filePart(picture)], `?from=${encodeURIComponent(from)}`);
    expect(codeIn(body)).toBe("UNKNOWN_SOURCE_FORMAT");
  });
});

describe("an option", () => {
  it.each(["__proto__", "constructor", "toString", "prototype", "hasOwnProperty", "valueOf", "from_"])(
    "named %s is rejected",
    async (name) => {
      const { status, body } = await convert([toPart("webp"), filePart(picture)], `?${name}=1`);
      expect({ status, code: codeIn(body) }).toEqual({ status: 400, code: "INVALID_OPTION" });
    },
  );
  it.each([
    "?a[b]=1",
    "?__proto__[x]=1",
    "?quality=1&quality=2",
    "?%00=1",
    "?quality=%ff",
    `?${"a=1&".repeat(5000)}`,
    "?quality=80%00",
    "?quality=$(id)",
    "?width=1e999",
  ])("in %s is rejected", async (query) => {
    const { status } = await convert([toPart("webp"), filePart(picture)], query);
    expect([400, 431]).toContain(status);
  });
});

describe("a file name", () => {
  const names = [
    ...[
      "-rf.png",
      "--help.png",
      "@/etc/passwd.png",
      "|id.png",
      "png:x.png",
      "a[0-9].png",
      "a%d.png",
      "*.png",
      "..\\..\\x.png",
      "../../../etc/x.png",
    ],
    ...[
      "con.png",
      "a.png.",
      "a.png ",
      " .png",
      ".png",
      "a\u202egnp.exe.png",
      "\u{1F600}.png",
      "x".repeat(255),
      "a;b.png",
      "`id`.png",
      "$(id).png",
      "a'b.png",
      "__proto__",
    ],
  ];
  it.each(names)("like %j is converted and returned sanitised", async (name) => {
    const { status, headers } = await convert([toPart("webp"), filePart(picture, `${mark}${name}`)], "?download=1");
    expect(status).toBe(200);
    const disposition = headers["content-disposition"] ?? "";
    expect(disposition).toMatch(/^attachment; filename="?[^"/\\]*\.webp"?(; filename\*=UTF-8''[\w.~!#$&+^`|%-]+)?$/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it.each(["a\0b.png", "a\rb.png"])("like %j does not break the response headers", async (name) => {
    const { status, headers, body } = await convert([toPart("webp"), filePart(picture, `${mark}${name}`)], "?download=1");
    expect([200, 400]).toContain(status);
    if (status === 200) expect(headers["content-disposition"]).toMatch(/^attachment; filename="?[\x20-\x7e]*$/);
    else expect(["BAD_REQUEST", "MISSING_FIELD"]).toContain(codeIn(body));
  });
});

describe("API keys", () => {
  it("that are malformed get the same answer as unknown ones", async () => {
    const wellFormed = "fm_00000000000000000000000000000000000000000001c2fpy";
    const answers = await Promise.all(
      [wellFormed, `${server.key.slice(0, -1)}~`, "x", "fm_"].map((key) => raw("GET", "/api/v1/jobs", key)),
    );
    const told = answers.map(({ status, body }) => ({ status, error: { ...JSON.parse(body).error, requestId: "" } }));
    expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(told[0]).toMatchObject({ status: 401, error: { code: "INVALID_API_KEY" } });
  });
});

describe("afterwards", () => {
  it("the log contains no file name, content, key or option, and no internal error", async () => {
    await convert([toPart("webp"), filePart(`${mark} is no picture`, `${mark}.png`)]);
    await convert([toPart(`${mark}`), filePart(picture, `${mark}.png`)], `?${mark}=${mark}`);
    await raw("GET", `/${mark}?${mark}`);
    const logged = () => server.log().split("\n");
    // One in eleven is answered before it counts as a request that could be logged.
    await expect.poll(() => logged().filter((line) => line.includes('"gateway.request"')).length).toBeGreaterThan(0.9 * sent);
    const lines = logged();
    expect(lines.filter((line) => line.includes(mark))).toEqual([]);
    expect(lines.filter((line) => line.includes(server.key.slice(8)))).toEqual([]);
    expect(lines.filter((line) => /\/etc\/passwd|"level":"(error|fatal)"/.test(line))).toEqual([]);
  });

  it("only results are stored, under generated names", async () => {
    const stored = async () => (await filesUnder(join(server.dataDir, "blobs"))).map((path) => basename(path));
    expect((await stored()).length).toBeGreaterThan(10);
    // What is left of a refused upload is removed after the answer.
    await expect.poll(async () => (await stored()).filter((name) => !/^[0-9a-f]{64}-[0-9a-f]{16}$/.test(name))).toEqual([]);
    const { status } = await raw("GET", "/api/v1/jobs");
    expect(status).toBe(200);
  });
});
