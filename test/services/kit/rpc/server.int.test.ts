import { execFile } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test } from "vitest";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { FilemillError, fromConnectError } from "#kit/errors.ts";
import { openLog } from "#kit/log.ts";
import { openGrpcClient } from "#kit/rpc/grpc-client.ts";
import { openRpcServer, type RpcServer, type RpcServerOptions } from "#kit/rpc/server.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { type EchoLog, echoClient, echoRoutes } from "./echo-service.ts";

const run = promisify(execFile);
const token = "a-token-of-sixteen-or-more";
const echoLog: EchoLog = { received: [], entered: 0, cancelled: 0 };
const open: RpcServer[] = [];

async function openServer(options: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
  const server = await openRpcServer({
    host: "127.0.0.1",
    port: 0,
    token: undefined,
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

function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/filemill.conversion.v1.ConversionService/Inspect`, {
      method: "POST",
      headers: { host, "content-type": "application/json" },
    });
    call.once("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", reject);
    call.end("{}");
  });
}

describe("a token", () => {
  test("is asked of every call but health and reflection", async () => {
    const { url } = await openServer({ token });
    const status = async (given: string | undefined): Promise<string> =>
      echoClient(remoteTransport(url, given))
        .inspect({})
        .then(
          () => "fine",
          (error: unknown) => String(error),
        );
    expect(await status(token)).toBe("fine");
    for (const wrong of [undefined, "another-token-of-its-own", `${token}x`]) expect(await status(wrong)).toContain("unauthenticated");
    using grpc = openGrpcClient(ConversionService, url, { token });
    expect(await grpc.calls.inspect({})).toMatchObject({ format: "png" });
    using health = openGrpcClient(Health, url);
    expect(await health.calls.check({})).toMatchObject({ status: Status.SERVING });
  });

  test("is needed where other machines can reach the port", async () => {
    await expect(openServer({ host: "0.0.0.0" })).rejects.toThrow("RPC_TOKEN");
    expect((await openServer({ host: "0.0.0.0", token })).url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  });
});

test("a page of another origin cannot reach it by its name", async () => {
  const { url } = await openServer();
  expect(await statusOf(url, "evil.example")).toBe(403);
  expect(await statusOf(url, "localhost:1")).toBe(200);
});

test("a taken port is said to be taken", async () => {
  const { url } = await openServer();
  const failure = await openServer({ port: Number(new URL(url).port) }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FilemillError);
  expect(failure).toMatchObject({ code: "UNAVAILABLE" });
});

test("refuses a message over 8 MiB and goes on", async () => {
  const { url } = await openServer();
  const client = echoClient(remoteTransport(url, undefined));
  await expect(client.inspect({ fileName: "x".repeat(9 * 1024 * 1024) })).rejects.toThrow("resource_exhausted");
  expect(await client.inspect({})).toMatchObject({ format: "png" });
});

describe("health", () => {
  test("follows readiness, for the server and for each service", async () => {
    let ready = false;
    const { url } = await openServer({ isReady: () => ready });
    const health = createClient(Health, createGrpcTransport({ baseUrl: url }));
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

test("reflection: buf lists the services and calls one without any schema of its own", async () => {
  const { url } = await openServer({ token });
  const curl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("node_modules/.bin/buf", ["curl", "--http2-prior-knowledge", "--protocol", "grpc", ...args]);
    return stdout;
  };
  const listed = await curl("--list-services", url);
  for (const name of [ConversionService.typeName, Health.typeName]) expect(listed).toContain(name);
  const authorized = ["-H", `Authorization: Bearer ${token}`];
  const answer = await curl(...authorized, "-d", '{"fileName":"x"}', `${url}/${ConversionService.typeName}/Inspect`);
  expect(JSON.parse(answer)).toEqual({ format: "png", toldBy: "x" });
});

describe("ending", () => {
  test("cuts streams that are open, with an error that says why", async () => {
    const server = await openServer();
    const client = echoClient(remoteTransport(server.url, undefined));
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

  test("a client finds the server again after a restart on the same port", async () => {
    const first = await openServer();
    using grpc = openGrpcClient(ConversionService, first.url);
    const client = echoClient(remoteTransport(first.url, undefined));
    await Promise.all([grpc.calls.inspect({}), client.inspect({})]);
    await open.splice(0)[0]?.[Symbol.asyncDispose]();
    await openServer({ port: Number(new URL(first.url).port) });
    // What is asked before the client has heard that its connection is gone may fail.
    for (const { inspect } of [client, grpc.calls]) await expect.poll(() => inspect({}).then(({ format }) => format, String)).toBe("png");
  });
});
