/** Classes FN1, FN2, ID1, PD4, H1, H2, H4: names, ids and bodies that attack the service itself, before any engine. */
import { connect } from "node:net";
import type { TestServer } from "#test/harness/server.ts";
import { png } from "./picture-files.ts";

export type Told = { readonly status: number; readonly code?: string | undefined; readonly headers: Headers };
export type DoorAttack = {
  readonly id: string;
  readonly what: string;
  readonly outcome: string;
  /** Returns all answers. */
  send(server: TestServer): Promise<readonly Told[]>;
};

const file = png({ width: 4, height: 4 });
const boundary = "attack";

type Body = { readonly to?: string; readonly name?: string; readonly extra?: string; readonly end?: string };

function bodyOf({ to = "webp", name = "a.png", extra = "", end = `\r\n--${boundary}--\r\n` }: Body): Buffer {
  const target = `--${boundary}\r\nContent-Disposition: form-data; name="to"\r\n\r\n${to}\r\n`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(target + extra + head), file, Buffer.from(end)]);
}

async function post(
  server: TestServer,
  body: Uint8Array,
  query = "?download=1",
  type = `multipart/form-data; boundary=${boundary}`,
): Promise<Told> {
  const headers = { authorization: `Bearer ${server.key}`, "content-type": type };
  const response = await fetch(`${server.url}/api/v1/convert${query}`, { method: "POST", headers, body: new Uint8Array(body) });
  return toldOf(response);
}

async function get(server: TestServer, path: string, method = "GET"): Promise<Told> {
  return toldOf(await fetch(server.url + path, { method, headers: { authorization: `Bearer ${server.key}` } }));
}

async function toldOf(response: Response): Promise<Told> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, code: isJson ? JSON.parse(text).error?.code : undefined, headers: response.headers };
}

const names = [
  ..."-rf.png|--help|@/etc/passwd|png:x|a[0-9].png|a%d.png|*.png|$(id).png|`id`.png|con.pdf|a.png.|a.png |../../../etc/passwd|..\\..\\x.png".split(
    "|",
  ),
  ...[
    "|id",
    "a\0b.png",
    "a\tb.png",
    "\u202egnp.exe",
    "🦊.png",
    "日本.png",
    "é".repeat(127),
    "x".repeat(4000),
    "%0d%0aSet-Cookie: a=b.png",
    " ",
  ],
];
const formats = [
  "../../etc/passwd",
  "png/../../x",
  "%2e%2e",
  "png\0",
  "evil.lua",
  "/etc/passwd",
  "msl",
  "x".repeat(10_000),
  "*",
  ">",
  "jobs.>",
  "png webp",
  "__proto__",
  "constructor",
];
const jobIds = ["..%2f..%2fetc%2fpasswd", "*", "%3E", "jobs.*", "a%00b", "x".repeat(5000), "01ARZ3NDEKTSV4RRFFQ69G5FAV", "__proto__"];

const each = async <Input>(inputs: readonly Input[], send: (input: Input) => Promise<Told>): Promise<readonly Told[]> => {
  const told: Told[] = [];
  for (const input of inputs) told.push(await send(input));
  return told;
};
const field = (name: string, value: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const refusal = (id: string, what: string, outcome: string, body: Body, type?: string): DoorAttack => ({
  ...{ id, what, outcome },
  send: async (server) => [await post(server, bodyOf(body), "", type)],
});

export const doorAttacks: readonly DoorAttack[] = [
  {
    id: "FN1-names",
    what: `${names.length} hostile file names`,
    outcome: "converts",
    send: (server) => each(names, (name) => post(server, bodyOf({ name }))),
  },
  {
    id: "ID1-targets",
    what: "paths, subjects and prototypes as the target",
    outcome: "UNSUPPORTED_TARGET",
    send: (server) => each(formats, (to) => post(server, bodyOf({ to }))),
  },
  {
    id: "PD4-sources",
    what: "scripts and paths as the source",
    outcome: "UNKNOWN_SOURCE_FORMAT",
    send: (server) => each(["evil.lua", "/etc/passwd", "../x"], (from) => post(server, bodyOf({}), `?from=${encodeURIComponent(from)}`)),
  },
  {
    id: "ID1-jobs",
    what: "paths, subjects and prototypes as a job",
    outcome: "JOB_NOT_FOUND",
    send: (server) => each(jobIds, (id) => get(server, `/api/v1/jobs/${id}`)),
  },
  {
    id: "ID1-downloads",
    what: "the same, to download and to remove",
    outcome: "JOB_NOT_FOUND",
    send: async (server) => [
      ...(await each(jobIds, (id) => get(server, `/api/v1/jobs/${id}/download`))),
      ...(await each(jobIds, (id) => get(server, `/api/v1/jobs/${id}`, "DELETE"))),
    ],
  },
  refusal("H1-prototype", "a field named `__proto__`", "UNEXPECTED_FIELD", { extra: field("__proto__", "x") }),
  refusal("H1-twice", "two targets", "UNEXPECTED_FIELD", { extra: field("to", "png") }),
  refusal("H1-file", "two files", "UNEXPECTED_FIELD", {
    end: `\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="b.png"\r\n\r\nx\r\n--${boundary}--\r\n`,
  }),
  {
    id: "H1-query",
    what: "a parameter twice, as a list and as an object",
    outcome: "BAD_REQUEST",
    send: (server) =>
      each(["from=png&from=svg", "quality=5&quality=90", "quality[]=5", "quality[a]=5", "__proto__[a]=5", "from=png&%66rom=svg"], (query) =>
        post(server, bodyOf({}), `?${query}`),
      ),
  },
  refusal("H1-fields", "ten thousand fields", "UNEXPECTED_FIELD", {
    extra: Array.from({ length: 10_000 }, (_, index) => field(`f${index}`, "x")).join(""),
  }),
  refusal("H1-name", "a field name of a megabyte", "UNEXPECTED_FIELD", { extra: field("x".repeat(1_000_000), "x") }),
  refusal("H1-headers", "twenty thousand headers in a part", "UNEXPECTED_FIELD", {
    extra: `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n${"X-A: b\r\n".repeat(20_000)}\r\nx\r\n`,
  }),
  refusal("H1-open", "no closing boundary", "BAD_REQUEST", { end: "" }),
  refusal("H1-boundary", "another boundary than announced", "BAD_REQUEST", {}, "multipart/form-data; boundary=other"),
  refusal("H1-none", "no boundary at all", "BAD_REQUEST", {}, "multipart/form-data"),
  refusal("H1-type", "a body that is not multipart", "UNSUPPORTED_MEDIA_TYPE", {}, "application/json"),
  { id: "H2-cut", what: "a body that is cut off", outcome: "no answer, no job", send: cutOff },
];

/** Sends half of a body and disconnects. */
function cutOff(server: TestServer): Promise<readonly Told[]> {
  const body = bodyOf({});
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head = `POST /api/v1/convert HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, body.length / 2)]), () => socket.resetAndDestroy());
    });
    socket.once("close", () => resolve([]));
    socket.once("error", reject);
  });
}
