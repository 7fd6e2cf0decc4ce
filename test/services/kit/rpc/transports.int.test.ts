/** One service over every transport: the same answers and errors. */
import { createRouterTransport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromConnectError } from "#contract/errors.ts";
import { openLog } from "#kit/log.ts";
import { errorInterceptor } from "#kit/rpc/errors.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import { openRpcServer, type RpcServer } from "#kit/rpc/server.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { eventually } from "#test/harness/eventually.ts";
import { carrying, token } from "#test/harness/rpc-token.ts";
import { chunksOf, type EchoClient, type EchoLog, echoClient, echoRoutes } from "./echo-service.ts";

const echoLog: EchoLog = { received: [], entered: 0, cancelled: 0 };
let lines = "";
const log = openLog("error", {
  write(line: string) {
    lines += line;
  },
});
let server: RpcServer;
const clients = new Map<string, EchoClient>();

beforeAll(async () => {
  const routes = echoRoutes(echoLog);
  server = await openRpcServer({ host: "127.0.0.1", port: 0, token, routes, isReady: () => true, log });
  const interceptors = [carrying(token)];
  clients.set("local", echoClient(localTransport(routes, log)));
  clients.set("router", echoClient(createRouterTransport(routes, { router: { interceptors: [errorInterceptor(log)] } })));
  clients.set("our gRPC", echoClient(remoteTransport(server.url, token)));
  clients.set("gRPC of Connect", echoClient(createGrpcTransport({ baseUrl: server.url, interceptors })));
  clients.set("gRPC-Web", echoClient(createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1", interceptors })));
  clients.set("Connect on HTTP/1.1", echoClient(createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", interceptors })));
  clients.set("Connect on HTTP/2", echoClient(createConnectTransport({ baseUrl: server.url, httpVersion: "2", interceptors })));
});
afterAll(() => server[Symbol.asyncDispose]());

const names = ["local", "router", "our gRPC", "gRPC of Connect", "gRPC-Web", "Connect on HTTP/1.1", "Connect on HTTP/2"];
/** HTTP/1.1 cannot answer before the request has ended. */
const fullDuplex = names.filter((name) => name !== "gRPC-Web" && name !== "Connect on HTTP/1.1");

function clientOf(name: string): EchoClient {
  const client = clients.get(name);
  if (client === undefined) throw new Error(`no client ${name}`);
  return client;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(names)("%s", (name) => {
  test("makes unary calls", async () => {
    expect(await clientOf(name).inspect({ fileName: "name: ü" })).toMatchObject({ format: "png", toldBy: "name: ü" });
  });

  test("sends a stream", async () => {
    const { blob } = await clientOf(name).upload(chunksOf(10, 256 * 1024));
    expect(blob?.sizeBytes).toBe(10n * 256n * 1024n);
  });

  test("receives a stream", async () => {
    const firstBytes: (number | undefined)[] = [];
    for await (const { chunk } of clientOf(name).download({ lengthBytes: 20n * 65_536n })) firstBytes.push(chunk[0]);
    expect(firstBytes).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test("receives a known error with all its fields", async () => {
    const error = fromConnectError(await failureOf(clientOf(name).inspect({ fileName: "known" })));
    expect(error).toMatchObject({ code: "TOO_MANY_JOBS", message: "Too many jobs: 5/5, wait?", details: { limit: 5 }, retryAfterMs: 1500 });
  });

  test("reveals nothing about a defect, which is logged", async () => {
    lines = "";
    const error = await failureOf(clientOf(name).inspect({ fileName: "defect" }));
    expect(fromConnectError(error)).toMatchObject({ code: "INTERNAL", message: "Something went wrong on our side." });
    expect(error instanceof Error ? error.message : "").not.toContain("secret");
    expect(lines).toContain("secret: /etc/passwd");
  });

  test("receives an error in the middle of an upload", async () => {
    echoLog.received.length = 0;
    const error = fromConnectError(await failureOf(clientOf(name).upload(chunksOf(200, 256 * 1024))));
    expect(error).toMatchObject({ code: "INPUT_TOO_LARGE", details: { limitMb: 3 } });
    expect(echoLog.received).toHaveLength(12);
  });

  test("ends a call at its deadline, on both sides", async () => {
    const before = { ...echoLog };
    // On a busy machine a call may time out before it arrives: the next one gets longer.
    for (let timeoutMs = 100; echoLog.entered === before.entered; timeoutMs *= 3) {
      const failure = await failureOf(clientOf(name).inspect({ fileName: "hang" }, { timeoutMs }));
      expect(fromConnectError(failure).code).toBe("UNAVAILABLE");
    }
    await eventually(() => expect(echoLog.cancelled - before.cancelled).toBe(echoLog.entered - before.entered));
  });

  test("cancels a call", async () => {
    const before = { ...echoLog };
    const abort = new AbortController();
    const failure = failureOf(clientOf(name).inspect({ fileName: "hang" }, { signal: abort.signal }));
    await eventually(() => expect(echoLog.entered).toBe(before.entered + 1));
    abort.abort();
    expect(await failure).toBeInstanceOf(Error);
    await eventually(() => expect(echoLog.cancelled).toBe(before.cancelled + 1));
  });

  test("cancels a stream that it receives", async () => {
    const before = echoLog.cancelled;
    const abort = new AbortController();
    const receive = async (): Promise<void> => {
      for await (const _ of clientOf(name).download({ jobId: "slow", lengthBytes: 10_000n * 65_536n }, { signal: abort.signal }))
        abort.abort();
    };
    await expect(receive()).rejects.toThrow();
    await eventually(() => expect(echoLog.cancelled).toBe(before + 1));
  });
});

test.each(fullDuplex)("%s streams in both directions at once", async (name) => {
  const answers: string[] = [];
  let wake = Promise.withResolvers<void>();
  const ask = async function* () {
    for (const text of ["one", "two", "three"]) {
      yield { part: { case: "chunk" as const, value: Buffer.from(text) } };
      await wake.promise;
      wake = Promise.withResolvers();
    }
  };
  for await (const { part } of clientOf(name).convert(ask())) {
    if (part.case === "chunk") answers.push(Buffer.from(part.value).toString());
    wake.resolve();
  }
  expect(answers).toEqual(["one", "two", "three"]);
});

test("our gRPC rejects with the signal's reason, and with UNAVAILABLE if no server listens", async () => {
  const reason = new Error("enough");
  await expect(clientOf("our gRPC").inspect({}, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({ cause: reason });
  const error = await failureOf(echoClient(remoteTransport("http://127.0.0.1:9", token)).inspect({}));
  expect(fromConnectError(error)).toMatchObject({ code: "UNAVAILABLE" });
});

test("our gRPC rejects with the error of a failing request stream", async () => {
  const broken = async function* () {
    yield { chunk: new Uint8Array(10) };
    throw new Error("the disk is gone");
  };
  await expect(clientOf("our gRPC").upload(broken())).rejects.toThrow("the disk is gone");
});
