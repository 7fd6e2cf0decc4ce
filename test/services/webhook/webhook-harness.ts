/** A webhook service on a real broker, and a receiver with scripted answers. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { ulid } from "ulid";
import { type JobRecord, JobRecordSchema, JobService, type JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { Bucket } from "#kit/nats/ports.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import type { WebhookSettings } from "#services/webhook/config.ts";
import { createWebhookService, type WebhookDeps } from "#services/webhook/index.ts";
import type { TestBroker } from "#test/harness/broker.ts";

export type Webhooks = Client<typeof WebhookService> & AsyncDisposable;

export const openSettings: WebhookSettings = {
  WEBHOOK_PRIVATE_ADDRESSES: "allowed",
  WEBHOOK_PORTS: [{ first: 1, last: 65_535 }],
  WEBHOOK_RETRY_SECONDS: "0,0,0",
};

const noResults: Pick<WebhookDeps, "blobs" | "jobs"> = {
  blobs: { read: () => Promise.reject(new Error("no results here")) },
  jobs: createClient(
    JobService,
    createRouterTransport(() => {}),
  ),
};

export async function openWebhooks(
  { broker, log }: TestBroker,
  settings: Partial<WebhookSettings> = {},
  results: Pick<WebhookDeps, "blobs" | "jobs"> = noResults,
): Promise<Webhooks> {
  const deps = { broker: await broker.as("webhook"), log, ...results };
  const service = createWebhookService(deps, { ...openSettings, ...settings });
  await service.start();
  const client = createClient(
    WebhookService,
    localTransport((router) => service.routes(router), log),
  );
  return { ...client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
export type Receiver = AsyncDisposable & { readonly url: string; readonly received: Received[] };

/** @param answer - Returns the status for each message, in order. With "never" the message is not answered. */
export async function openReceiver(answer: (received: Received, count: number) => number | "never"): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const one = { path: request.url ?? "", headers: request.headers, body };
      received.push(one);
      const status = answer(one, received.length);
      if (status === "never") return;
      response.writeHead(status, { location: "/elsewhere" }).end("x".repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The job service's own bucket. */
export async function openJobBucket({ broker }: TestBroker): Promise<Bucket<JobRecord>> {
  const job = await broker.as("job");
  return job.bucket<JobRecord>("jobs", {
    encode: (record) => toBinary(JobRecordSchema, record),
    decode: (bytes) => fromBinary(JobRecordSchema, bytes),
  });
}

export function endedJob(accountId: string, state: JobState, finishedAtMs = Date.now()): JobRecord {
  const id = ulid().toLowerCase();
  const finishedAt = timestampFromMs(finishedAtMs);
  return create(JobRecordSchema, { job: { id, accountId, state, from: "docx", to: "pdf", createdAt: finishedAt, finishedAt } });
}
