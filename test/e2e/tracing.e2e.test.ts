/** One trace from the request over RPC and the queue to the engine's run, as a receiver of OTLP gets it. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startSecondGateway, startServer, type TestServer } from "#test/harness/server.ts";

type Attribute = { readonly key: string; readonly value: { readonly stringValue?: string } };
type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; kind: number; attributes: Attribute[] };
/** ExportTraceServiceRequest in OTLP's JSON encoding. */
type Export = { readonly resourceSpans: { readonly scopeSpans: { readonly spans: Span[] }[] }[] };

const spans: Span[] = [];
let receiver: Server;
let server: TestServer;
let gateway: TestServer;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export;
    expect(request.url).toBe("/v1/traces");
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: "200" };
  server = await startServer(env);
  gateway = await startSecondGateway(server, env);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  receiver.close();
});

it("is one trace, which goes on from the caller's, over two processes and the queue", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const ours = "b7ad6b7169203331";
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append("to", "webp");
  form.append("file", new File([new Uint8Array(picture)], "a-secret-name.png"));
  const answer = await fetch(`${gateway.url}/api/v1/convert`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, prefer: "respond-async", traceparent: `00-${traceId}-${ours}-01` },
    body: form,
  });
  expect(answer.status).toBe(202);
  const { job } = (await answer.json()) as { job: { id: string } };

  const named = (name: string, kind?: number) =>
    spans.find((span) => span.traceId === traceId && span.name === name && (kind === undefined || span.kind === kind));
  await expect.poll(() => named("attempt"), { timeout: 60_000 }).toBeDefined();
  await expect.poll(() => named("POST /api/v1/convert"), { timeout: 60_000 }).toBeDefined();
  const [root, engine, attempt] = [named("POST /api/v1/convert"), named("engine sharp"), named("attempt")];
  const createJob = "filemill.job.v1.JobService/CreateJob";
  const [asked, served] = [named(createJob, 3), named(createJob, 2)];
  expect(root?.parentSpanId).toBe(ours);
  expect(asked?.parentSpanId).toBe(root?.spanId);
  expect(served?.parentSpanId).toBe(asked?.spanId);
  expect(attempt?.parentSpanId).toBe(served?.spanId);
  expect(engine?.parentSpanId).toBe(attempt?.spanId);
  expect(attempt?.attributes).toContainEqual({ key: "filemill.job", value: { stringValue: job.id } });
  expect(JSON.stringify(spans)).not.toMatch(/a-secret-name|fm_/);
});
