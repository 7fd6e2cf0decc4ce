import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { openLog } from "#kit/log.ts";
import { openRpcServer, type RpcServer } from "#kit/rpc/server.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { stateAt } from "#kit/rpc/unix-socket.ts";
import { carrying, token } from "#test/harness/rpc-token.ts";
import { type EchoLog, echoClient, echoRoutes } from "./echo-service.ts";

const echoLog: EchoLog = { received: [], entered: 0, cancelled: 0 };
const open: RpcServer[] = [];
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-socket-"));
  path = join(folder, "rpc.sock");
});
afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function openServer(isNeeded = true, at = path): Promise<RpcServer> {
  const socket = { path: at, isNeeded };
  const routes = echoRoutes(echoLog);
  const server = await openRpcServer({ host: "127.0.0.1", port: 0, socket, token, routes, isReady: () => true, log: openLog("silent") });
  open.push(server);
  return server;
}

const callAt = (at: string) => echoClient(remoteTransport(`unix:${at}`, token)).inspect({});

/** What a killed process leaves behind. */
async function leaveSocket(): Promise<void> {
  const server = createServer();
  const draft = join(folder, "draft");
  server.listen(draft);
  await once(server, "listening");
  await rename(draft, path);
  server.close();
  await once(server, "close");
}

describe("the Unix socket of the internal services", () => {
  test("is owner-only, speaks every protocol and requires the token", async () => {
    const mask = process.umask(0);
    await openServer();
    process.umask(mask);
    const status = await stat(path);
    expect(status.isSocket()).toBe(true);
    expect(status.mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["rpc.sock"]);

    expect(await callAt(path)).toMatchObject({ format: "png" });
    const httpVersion = "1.1" as const;
    const web = { baseUrl: "http://localhost", httpVersion, interceptors: [carrying(token)], nodeOptions: { socketPath: path } };
    for (const transport of [createGrpcWebTransport(web), createConnectTransport(web)])
      expect(await createClient(ConversionService, transport).inspect({})).toMatchObject({ format: "png" });

    await expect(echoClient(remoteTransport(`unix:${path}`, "another-token-of-its-own")).inspect({})).rejects.toThrow("unauthenticated");
    expect(await statusWithOrigin()).toBe(403);
  });

  test("is removed with its server", async () => {
    await openServer();
    await open.splice(0)[0]?.[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual([]);
    expect(await stateAt(path)).toBe("dead");
  });

  test("replaces the socket of a dead process", async () => {
    await leaveSocket();
    expect(await readdir(folder)).toEqual(["rpc.sock"]);
    await openServer();
    expect(await callAt(path)).toMatchObject({ format: "png" });
  });

  test("does not replace the socket of a live process", async () => {
    await openServer();
    await expect(openServer()).rejects.toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("in use") });
    expect(await callAt(path)).toMatchObject({ format: "png" });
  });

  test("is skipped where it is optional and already in use", async () => {
    await openServer();
    const second = await openServer(false);
    expect(await echoClient(remoteTransport(second.url, token)).inspect({})).toMatchObject({ format: "png" });
    await open.splice(1)[0]?.[Symbol.asyncDispose]();
    expect(await callAt(path)).toMatchObject({ format: "png" });
  });

  test("replaces no other file, and reports a path that is too long", async () => {
    await writeFile(path, "precious");
    await expect(openServer()).rejects.toThrow("another file");
    const deep = join(folder, "x".repeat(100));
    await mkdir(deep);
    await expect(openServer(true, join(deep, "rpc.sock"))).rejects.toThrow("too long");
    await expect(openServer(true, join(folder, "none", "rpc.sock"))).rejects.toThrow("cannot be created");
    expect((await readdir(folder)).sort()).toEqual(["rpc.sock", "x".repeat(100)]);
  });
});

function statusWithOrigin(): Promise<number | undefined> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}`, origin: "http://localhost" };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: path, path: `/${ConversionService.typeName}/Inspect`, method: "POST", headers });
    call.once("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.once("error", reject);
    call.end("{}");
  });
}
