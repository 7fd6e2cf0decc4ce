/** The contract's section 9: the same features for internal consumers, on one port. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { throwKnown } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { ConversionService, type ConvertRequestSchema } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { type Job, JobService, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { slowDrawing } from "#test/harness/hostile-files.ts";
import { opened } from "#test/harness/opened.ts";
import { carrying } from "#test/harness/rpc-token.ts";
import { startServer } from "#test/harness/server.ts";

type Part = MessageInitShape<typeof ConvertRequestSchema>;
type Start = { readonly to: string; readonly fileName?: string; readonly options?: Record<string, string> };

const server = opened(startServer);
let accountId: string;
let png: Buffer;

function clients() {
  const transport = remoteTransport(server.rpcUrl, server.rpcToken);
  return {
    accounts: createClient(AccountService, transport),
    catalogue: createClient(CatalogueService, transport),
    conversion: createClient(ConversionService, transport),
    jobs: createClient(JobService, transport),
    health: createClient(Health, transport),
  };
}
let rpc: ReturnType<typeof clients>;

beforeAll(async () => {
  rpc = clients();
  accountId = (await rpc.accounts.verifyKey({ key: server.key })).account?.id ?? "";
  // Noise, so that it needs several chunks.
  png = await sharp(randomBytes(400 * 300 * 3), { raw: { width: 400, height: 300, channels: 3 } })
    .png()
    .toBuffer();
});

async function* chunks(bytes: Uint8Array): AsyncIterable<{ chunk: Uint8Array }> {
  for (let at = 0; at < bytes.length; at += 65_536) yield { chunk: bytes.subarray(at, at + 65_536) };
}

async function* conversionOf(start: Start, bytes: Uint8Array): AsyncIterable<Part> {
  yield { part: { case: "start", value: { accountId, ...start } } };
  for await (const { chunk } of chunks(bytes)) yield { part: { case: "chunk", value: chunk } };
}

async function download(jobId: string, range: { offsetBytes?: bigint; lengthBytes?: bigint } = {}): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const { chunk } of rpc.conversion.download({ accountId, jobId, ...range })) parts.push(chunk);
  return Buffer.concat(parts);
}

/** A job that takes minutes. */
async function startLongJob(): Promise<string> {
  const { blob } = await rpc.conversion.upload(chunks(slowDrawing()));
  if (blob === undefined) throw new Error("no blob");
  const { job } = await rpc.jobs.createJob({ accountId, from: "svg", to: "png", input: blob, sourceName: "slow.svg" });
  return job?.id ?? "";
}

describe("a gRPC conversion", () => {
  it("uploads a stream, creates a job, watches it, and downloads it whole and in part", async () => {
    const { blob } = await rpc.conversion.upload(chunks(png));
    expect(blob?.sizeBytes).toBe(BigInt(png.length));
    if (blob === undefined) return;
    expect(await rpc.conversion.inspect({ blob, fileName: "a.jpg" })).toMatchObject({
      format: "png",
      toldBy: "content",
      nameDisagrees: true,
    });

    const { job } = await rpc.jobs.createJob({
      accountId,
      from: "png",
      to: "jpg",
      options: { quality: "40" },
      input: blob,
      sourceName: "a.png",
    });
    const seen: Job[] = [];
    for await (const step of rpc.jobs.watchJob({ accountId, jobId: job?.id ?? "" })) if (step.job !== undefined) seen.push(step.job);
    expect(seen.at(-1)).toMatchObject({ state: JobState.DONE, from: "png", to: "jpg" });

    const whole = await download(job?.id ?? "");
    expect(await sharp(whole).metadata()).toMatchObject({ format: "jpeg", width: 400 });
    expect(await download(job?.id ?? "", { offsetBytes: 10n, lengthBytes: 100n })).toEqual(whole.subarray(10, 110));
    await rpc.jobs.deleteJob({ accountId, jobId: job?.id ?? "" });
  });

  it("works in a single bidirectional call", async () => {
    const states: JobState[] = [];
    const parts: Uint8Array[] = [];
    for await (const { part } of rpc.conversion.convert(conversionOf({ to: "webp", fileName: "a.png", options: { quality: "90" } }, png))) {
      if (part.case === "job") states.push(part.value.state);
      else if (part.case === "chunk") parts.push(part.value);
    }
    expect(states.at(-1)).toBe(JobState.DONE);
    expect(await sharp(Buffer.concat(parts)).metadata()).toMatchObject({ format: "webp", width: 400, height: 300 });
  });

  it("is visible over REST", async () => {
    const { jobs } = await rpc.jobs.listJobs({ accountId, limit: 1 });
    const answer = await fetch(`${server.url}/api/v1/jobs?limit=1`, { headers: { authorization: `Bearer ${server.key}` } });
    expect(JSON.parse(await answer.text()).jobs[0].id).toBe(jobs[0]?.id);
  });

  it("has the same routes as REST", async () => {
    const { routes } = await rpc.catalogue.getCatalogue({});
    const answer = await fetch(`${server.url}/api/v1/formats`);
    expect(JSON.parse(await answer.text()).conversions).toHaveLength(routes.length);
  });
});

describe("a gRPC error", () => {
  it("carries ErrorInfo with the reason, domain and metadata of the REST error", async () => {
    const url = `${server.rpcUrl}/${JobService.typeName}/CreateJob`;
    const { blob } = await rpc.conversion.upload(chunks(png));
    const body = {
      accountId,
      from: "png",
      to: "jpg",
      options: { quality: "900" },
      input: { ...blob, $typeName: undefined, sizeBytes: String(blob?.sizeBytes) },
    };
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${server.rpcToken}` },
      body: JSON.stringify(body),
    });
    const { details } = JSON.parse(await answer.text());
    expect(details[0]).toMatchObject({ type: "google.rpc.ErrorInfo", debug: { reason: "INVALID_OPTION", domain: expect.any(String) } });
    expect(details[0].debug.metadata).toMatchObject({ option: "quality" });

    await expect(rpc.jobs.getJob({ accountId, jobId: "0".repeat(26) }).catch(throwKnown)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
    const refused = rpc.jobs.createJob({
      accountId,
      from: "png",
      to: "jpg",
      options: { quality: "900" },
      ...(blob === undefined ? {} : { input: blob }),
    });
    await expect(refused.catch(throwKnown)).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option: "quality" } });
    const noRoute = Array.fromAsync(rpc.conversion.convert(conversionOf({ to: "mp3", fileName: "a.png" }, png)));
    await expect(noRoute.catch(throwKnown)).rejects.toMatchObject({ code: "UNSUPPORTED_CONVERSION", details: { from: "png", to: "mp3" } });
  });

  it("from a deadline or cancellation leaves the job running until it is cancelled", async () => {
    const jobId = await startLongJob();
    await expect(Array.fromAsync(rpc.jobs.watchJob({ accountId, jobId }, { timeoutMs: 300 }))).rejects.toThrow();
    const wish = new AbortController();
    const watching = (async () => {
      for await (const _ of rpc.jobs.watchJob({ accountId, jobId }, { signal: wish.signal })) wish.abort(new Error("enough"));
    })();
    await expect(watching).rejects.toThrow("enough");
    const { job } = await rpc.jobs.cancelJob({ accountId, jobId });
    expect(job?.state).toBe(JobState.CANCELLED);
    await expect(download(jobId).catch(throwKnown)).rejects.toMatchObject({ code: "JOB_CANCELLED" });
  });

  it("during an upload leaves nothing behind", async () => {
    const wish = new AbortController();
    async function* endless(): AsyncIterable<{ chunk: Uint8Array }> {
      for (let count = 0; ; count += 1) {
        if (count === 5) wish.abort(new Error("broken off"));
        yield { chunk: png };
      }
    }
    await expect(rpc.conversion.upload(endless(), { signal: wish.signal })).rejects.toThrow();
    await expect.poll(() => readdir(join(server.dataDir, "blobs", "partial"))).toEqual([]);
  });
});

describe("the RPC port", () => {
  it("speaks gRPC, gRPC-Web and Connect, binary and JSON, over HTTP/1.1 and HTTP/2", async () => {
    const { rpcUrl: baseUrl } = server;
    const interceptors = [carrying(server.rpcToken)];
    const transports = [
      createGrpcTransport({ baseUrl, interceptors }),
      createGrpcWebTransport({ baseUrl, interceptors, httpVersion: "1.1" }),
      createGrpcWebTransport({ baseUrl, interceptors, httpVersion: "2" }),
      createConnectTransport({ baseUrl, interceptors, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, interceptors, httpVersion: "2", useBinaryFormat: false }),
    ];
    for (const transport of transports) {
      expect((await createClient(AccountService, transport).verifyKey({ key: server.key })).account?.id).toBe(accountId);
    }
  });

  it("reports health as a whole and by service", async () => {
    expect((await rpc.health.check({})).status).toBe(Status.SERVING);
    for (const { typeName: service } of [AccountService, CatalogueService, ConversionService, JobService]) {
      expect((await rpc.health.check({ service })).status).toBe(Status.SERVING);
    }
  });

  it("supports reflection: buf needs no schema", async () => {
    const curl = (...args: string[]) =>
      promisify(execFile)("npx", ["buf", "curl", "--http2-prior-knowledge", "--protocol", "grpc", ...args]);
    const carried = `Authorization: Bearer ${server.rpcToken}`;
    const { stdout: listed } = await curl("--reflect-header", carried, "--list-services", server.rpcUrl);
    for (const { typeName } of [AccountService, CatalogueService, ConversionService, JobService, Health])
      expect(listed).toContain(typeName);
    const { stdout } = await curl(
      "--reflect-header",
      "*",
      "-H",
      carried,
      "-d",
      JSON.stringify({ accountId }),
      `${server.rpcUrl}/${JobService.typeName}/GetLoad`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ maxUnfinished: 1000 });
  });
});
