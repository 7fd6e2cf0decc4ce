import type { lookup } from "node:dns";
import { type AddressInfo, createServer } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publicLookup } from "#kit/public-address.ts";
import { createSender } from "#services/webhook/adapters/sender.ts";

let contacted = 0;
const server = createServer((socket) => {
  contacted++;
  socket.destroy();
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A resolver that answers each query with the next row. */
function resolverOf(...rows: readonly (readonly string[])[]) {
  let asked = 0;
  const resolve = (_host: string, _options: unknown, callback: (error: null, addresses: { address: string; family: number }[]) => void) => {
    const row = rows[Math.min(asked++, rows.length - 1)] ?? [];
    callback(
      null,
      row.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { resolve: resolve as unknown as typeof lookup, asked: () => asked };
}

const signal = new AbortController().signal;
const message = (url: string) => ({ method: "POST", url, headers: {}, body: "{}", bytes: 2 }) as const;
const ports = [{ first: 1, last: 65_535 }];
const post = (resolve: typeof lookup) =>
  createSender({ allowPrivate: false, ports, resolve })(message(`https://rebind.example:${port}/`), signal);

test.each([
  [["127.0.0.1"]],
  [["::1"]],
  [["::ffff:127.0.0.1"]],
  [["::7f00:1"]],
  [["64:ff9b::7f00:1"]],
  [["93.184.216.34", "127.0.0.1"]],
  [["169.254.169.254"]],
])("does not call a host that resolves to %j", async (addresses) => {
  expect(await post(resolverOf(addresses).resolve)).toEqual({ error: "the address is not public" });
  expect(contacted).toBe(0);
});

test("connects to the address it checked, without a second lookup", async () => {
  const rebinding = resolverOf(["93.184.216.34"], ["127.0.0.1"]);
  const called = await new Promise((settle) => {
    publicLookup(rebinding.resolve)("rebind.example", { all: true }, (error, addresses) => settle(error ?? addresses));
  });
  expect(called).toEqual([{ address: "93.184.216.34", family: 4 }]);
  expect(rebinding.asked()).toBe(1);
});

test.each(["https://127.0.0.1/", "https://0x7f.1/", "https://[::7f00:1]/", "http://example.org/", "https://example.org:22/"])(
  "does not call %s, stored under other rules",
  async (url) => {
    const sender = createSender({ allowPrivate: false, ports: [], resolve: resolverOf(["127.0.0.1"]).resolve });
    expect(await sender(message(url), signal)).toEqual({ error: "the address is not allowed" });
    expect(contacted).toBe(0);
  },
);

test("calls the local network if the operator allows it", async () => {
  const outcome = await createSender({ allowPrivate: true, ports })(message(`http://127.0.0.1:${port}/`), signal);
  // Which one depends on whether the connection ended before the request was written.
  expect(outcome).toEqual({ error: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
  expect(contacted).toBe(1);
});

test("gives up on a server that does not respond in time", async () => {
  const silent = createServer((socket) => void socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port: silentPort } = silent.address() as AddressInfo;
  const send = createSender({ allowPrivate: true, ports }, { wholeMs: 60_000, silenceMs: 200 });
  const sending = {
    method: "PUT",
    url: `http://127.0.0.1:${silentPort}/`,
    headers: {},
    body: Readable.from([Buffer.alloc(9)]),
    bytes: 9,
  } as const;
  expect(await send(sending, signal)).toEqual({ error: "no answer in time" });
  silent.close();
});
