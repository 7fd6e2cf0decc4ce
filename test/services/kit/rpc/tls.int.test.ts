/** Certificates on both sides of the RPC port, made by openssl as an operator would. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromConnectError } from "#contract/errors.ts";
import type { FloorSettings } from "#kit/floor.ts";
import { openLog } from "#kit/log.ts";
import { openRpcServer, type RpcServer } from "#kit/rpc/server.ts";
import { type RpcTls, readRpcTls } from "#kit/rpc/tls.ts";
import { peerTransport, remoteTransport } from "#kit/rpc/transport.ts";
import { carrying, token } from "#test/harness/rpc-token.ts";
import { type EchoLog, echoClient, echoRoutes } from "./echo-service.ts";

const run = promisify(execFile);
const echoLog: EchoLog = { received: [], entered: 0, cancelled: 0 };
let folder: string;
let ours: RpcTls;
let strangers: RpcTls;
let server: RpcServer;

const file = (name: string): string => join(folder, name);
const openssl = (...args: readonly string[]) => run("openssl", args, { cwd: folder });
const filesOf = (ca: string, host: string) => ({ RPC_CA: file(`${ca}.pem`), RPC_CERT: file(`${host}.pem`), RPC_KEY: file(`${host}.key`) });

/** A certificate authority, and a host certificate signed by it. */
async function issue(ca: string, host: string): Promise<RpcTls> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl("req", "-x509", ...key, "-days", "2", "-subj", `/CN=${ca}`, "-keyout", `${ca}.key`, "-out", `${ca}.pem`);
  const names = ["-subj", `/CN=${host}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const signed = ["-CA", `${ca}.pem`, "-CAkey", `${ca}.key`];
  await openssl("req", "-x509", ...key, "-days", "2", ...names, ...signed, "-keyout", `${host}.key`, "-out", `${host}.pem`);
  const tls = await readRpcTls(filesOf(ca, host));
  if (tls === undefined) throw new Error("not read");
  return tls;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-tls-"));
  [ours, strangers] = await Promise.all([issue("authority", "host"), issue("other-authority", "stranger")]);
  const routes = echoRoutes(echoLog);
  server = await openRpcServer({ host: "127.0.0.1", port: 0, token, tls: ours, routes, isReady: () => true, log: openLog("silent") });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it("serves clients with a certificate of the same CA and the token, on HTTP/2 and HTTP/1.1", async () => {
  expect(server.url).toMatch(/^https:/);
  expect(await echoClient(remoteTransport(server.url, token, ours)).inspect({})).toMatchObject({ format: "png" });
  const http1 = createConnectTransport({
    baseUrl: server.url,
    httpVersion: "1.1",
    nodeOptions: { ...ours },
    interceptors: [carrying(token)],
  });
  expect(await echoClient(http1).inspect({})).toMatchObject({ format: "png" });
});

it("still requires the token", async () => {
  const refused = echoClient(remoteTransport(server.url, "another-token-of-its-own", ours)).inspect({});
  expect(await refused.catch(fromConnectError)).toMatchObject({ code: "INVALID_RPC_TOKEN" });
});

it("rejects a client without a certificate or with one of another CA, before the handler runs", async () => {
  const before = echoLog.entered + echoLog.received.length;
  for (const tls of [{ ca: ours.ca }, { ...strangers, ca: ours.ca }]) {
    const call = echoClient(remoteTransport(server.url, token, tls as RpcTls)).inspect({});
    expect(await call.catch(fromConnectError)).toMatchObject({ code: "UNAVAILABLE" });
  }
  const inTheClear = remoteTransport(server.url.replace("https:", "http:"), token);
  expect(await echoClient(inTheClear).inspect({}).catch(fromConnectError)).toMatchObject({ code: "UNAVAILABLE" });
  expect(echoLog.entered + echoLog.received.length).toBe(before);
});

it("is not trusted by a client of another CA", async () => {
  const call = echoClient(remoteTransport(server.url, token, strangers)).inspect({});
  expect(await call.catch(fromConnectError)).toMatchObject({ code: "UNAVAILABLE" });
});

it("rejects TLS older than 1.3", async () => {
  const { port } = new URL(server.url);
  const failed = new Promise<string>((resolve, reject) => {
    const socket: TLSSocket = connect({ port: Number(port), host: "127.0.0.1", ...ours, maxVersion: "TLSv1.2" }, () =>
      reject(new Error("was let in")),
    );
    socket.once("error", ({ message }) => resolve(message));
  });
  expect(await failed).toMatch(/version/);
});

it("reports misconfiguration", async () => {
  const whole = filesOf("authority", "host");
  const refusal = (settings: Partial<typeof whole>) => readRpcTls({ ...whole, ...settings }).catch((error: Error) => error.message);
  expect(await refusal({ RPC_KEY: undefined } as never)).toMatch(/must be set together; missing: RPC_KEY/);
  expect(await refusal({ RPC_CERT: file("nowhere.pem") })).toMatch(/RPC_CERT names .*nowhere.pem, which cannot be read \(ENOENT\)/);
  expect(await refusal({ RPC_KEY: file("stranger.key") })).toMatch(/RPC_KEY the private key of RPC_CERT/);
  await writeFile(file("empty.pem"), "");
  expect(await refusal({ RPC_CA: file("empty.pem") })).toMatch(/must be PEM certificates/);
  expect(await readRpcTls({ RPC_CA: undefined, RPC_CERT: undefined, RPC_KEY: undefined })).toBeUndefined();
  const settings = { JOB_ADDRESS: "http://peer:8081", RPC_TOKEN: token, rpcTls: ours } as FloorSettings;
  expect(() => peerTransport("JOB_ADDRESS", settings)).toThrow(/JOB_ADDRESS must be an https URL/);
});
