import { execFile } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { collectDefaultMetrics, Registry } from "prom-client";
import { afterEach, describe, expect, test } from "vitest";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "#gen/grpc/reflection/v1/reflection_pb.ts";
import { openLog } from "#kit/log.ts";
import { openRpcServer, type RpcServer, type RpcServerOptions } from "#kit/rpc/server.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { carrying, token } from "#test/harness/rpc-token.ts";
import { type EchoLog, echoClient, echoRoutes } from "./echo-service.ts";

const run = promisify(execFile);
const echoLog: EchoLog = { received: [], entered: 0, cancelled: 0 };
const open: RpcServer[] = [];

async function openServer(options: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
  const server = await openRpcServer({
    host: "127.0.0.1",
    port: 0,
    token,
    routes: echoRoutes(echoLog),
    isReady: () => true,
    log: openLog("silent"),
    ...options,
  });
  open.push(server);
  return server;
}

afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
});

async function* questions() {
  yield { messageRequest: { case: "listServices" as const, value: "" } };
}

function statusOf(url: string, headers: Record<string, string>, method = "POST", query = ""): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/filemill.conversion.v1.ConversionService/Inspect${query}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
    });
    call.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", reject);
    call.end(method === "POST" ? "{}" : undefined);
  });
}

test("shows metrics only with the token", async () => {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const { url } = await openServer({ metrics });
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await answer.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  for (const authorization of ["", "Bearer x"]) expect((await fetch(`${url}/metrics`, { headers: { authorization } })).status).toBe(401);
});

describe("a token", () => {
  const wrongTokens = ["", "another-token-of-its-own", `${token}x`, token.slice(1), token.toUpperCase()];

  test("is required for every call, including health and reflection", async () => {
    const { url } = await openServer();
    const refusal = { code: "INVALID_RPC_TOKEN" };
    for (const wrong of wrongTokens) {
      const transport = remoteTransport(url, wrong);
      for (const call of [
        echoClient(transport).inspect({}),
        createClient(Health, transport).check({}),
        Array.fromAsync(createClient(ServerReflection, transport).serverReflectionInfo(questions())),
      ]) {
        expect(await call.catch(fromConnectError)).toMatchObject(refusal);
      }
    }
    expect(await createClient(Health, remoteTransport(url, token)).check({})).toMatchObject({ status: Status.SERVING });
  });

  test.each([
    ["application/grpc", "Upload"],
    ["application/grpc-web+proto", "Inspect"],
    ["application/connect+json", "Upload"],
    ["application/json", "Inspect"],
    ["text/plain", "Inspect"],
    ["text/plain", "NoSuchMethod"],
    ["application/json", "NoSuchMethod"],
  ])("is checked first: an unauthenticated call ends without waiting for its body (%s, %s)", async (type, method) => {
    const { url } = await openServer();
    const session = connectHttp2(url);
    const path = `/${ConversionService.typeName}/${method}`;
    const call = session.request({ ":method": "POST", ":path": path, "content-type": type }, { endStream: false });
    call.on("error", () => undefined);
    call.write("{");
    call.resume();
    await once(call, "close");
    session.destroy();
  });

  test("is checked before the handler runs", async () => {
    const { url } = await openServer();
    const before = echoLog.entered + echoLog.received.length;
    for (const wrong of wrongTokens) await expect(echoClient(remoteTransport(url, wrong)).inspect({})).rejects.toThrow();
    expect(echoLog.entered + echoLog.received.length).toBe(before);
  });
});

describe("a web page", () => {
  test("of another origin cannot reach it by DNS rebinding", async () => {
    const { url } = await openServer();
    expect(await statusOf(url, { host: "evil.example" })).toBe(403);
    expect(await statusOf(url, { host: "localhost:1" })).toBe(200);
  });

  test.each([
    [{ origin: "https://evil.example" }],
    [{ origin: "null" }],
    [{ origin: "http://127.0.0.1" }],
    [{ "sec-fetch-site": "same-origin" }],
    [{ "sec-fetch-site": "none" }],
  ])("is rejected whatever its origin headers: %j", async (headers) => {
    for (const host of ["127.0.0.1", "0.0.0.0"]) {
      const url = (await openServer({ host })).url.replace("0.0.0.0", "127.0.0.1");
      for (const method of ["POST", "GET", "OPTIONS"]) expect(await statusOf(url, headers, method)).toBe(403);
      expect(await statusOf(url, {})).toBe(200);
    }
  });

  test("cannot make a side-effect-free call with a plain GET", async () => {
    const { url } = await openServer();
    const status = await statusOf(url, { authorization: "" }, "GET", "?connect=v1&encoding=json&message=%7B%7D");
    expect(status).toBe(401);
  });
});

test("reports a port that is in use as UNAVAILABLE", async () => {
  const { url } = await openServer();
  const failure = await openServer({ port: Number(new URL(url).port) }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FilemillError);
  expect(failure).toMatchObject({ code: "UNAVAILABLE" });
});

test("rejects a message over 8 MiB and keeps working", async () => {
  const { url } = await openServer();
  const client = echoClient(remoteTransport(url, token));
  await expect(client.inspect({ fileName: "x".repeat(9 * 1024 * 1024) })).rejects.toThrow("resource_exhausted");
  expect(await client.inspect({})).toMatchObject({ format: "png" });
});

describe("health", () => {
  test("follows readiness, for the server and for each service", async () => {
    let ready = false;
    const { url } = await openServer({ isReady: () => ready });
    const health = createClient(Health, createGrpcTransport({ baseUrl: url, interceptors: [carrying(token)] }));
    expect((await health.check({ service: ConversionService.typeName })).status).toBe(Status.NOT_SERVING);
    const seen: number[] = [];
    for await (const { status } of health.watch({})) {
      seen.push(status);
      ready = true;
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([Status.NOT_SERVING, Status.SERVING]);
    expect((await health.check({})).status).toBe(Status.SERVING);
    await expect(health.check({ service: "no.such.Service" })).rejects.toThrow("not_found");
  });
});

test("supports reflection: buf lists the services and calls one without a schema", async () => {
  const { url } = await openServer();
  const curl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("node_modules/.bin/buf", ["curl", "--http2-prior-knowledge", "--protocol", "grpc", ...args]);
    return stdout;
  };
  const authorized = ["-H", `Authorization: Bearer ${token}`];
  const listed = await curl("--reflect-header", authorized[1] ?? "", "--list-services", url);
  for (const name of [ConversionService.typeName, Health.typeName]) expect(listed).toContain(name);
  const answer = await curl(
    ...authorized,
    "--reflect-header",
    "*",
    "-d",
    '{"fileName":"x"}',
    `${url}/${ConversionService.typeName}/Inspect`,
  );
  expect(JSON.parse(answer)).toEqual({ format: "png", toldBy: "x" });
});

describe("stopping", () => {
  test("ends open streams with UNAVAILABLE", async () => {
    const server = await openServer();
    const client = echoClient(remoteTransport(server.url, token));
    const idle = connect(Number(new URL(server.url).port), "127.0.0.1");
    let disposing: Promise<void> | undefined;
    const failure = await (async () => {
      for await (const _ of client.download({ jobId: "slow", lengthBytes: 100_000n * 65_536n })) {
        disposing ??= Promise.resolve(open.splice(0)[0]?.[Symbol.asyncDispose]());
      }
    })().catch((error: unknown) => error);
    await disposing;
    idle.destroy();
    expect(fromConnectError(failure)).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("lets clients reconnect after a restart on the same port", async () => {
    const first = await openServer();
    const client = echoClient(remoteTransport(first.url, token));
    await client.inspect({});
    await open.splice(0)[0]?.[Symbol.asyncDispose]();
    await openServer({ port: Number(new URL(first.url).port) });
    // A call before the client has noticed the lost connection may fail.
    await expect.poll(() => client.inspect({}).then(({ format }) => format, String)).toBe("png");
  });
});
