/** One trace from the request over RPC and the queue to the engine's run, and each process's metrics, as an OTLP receiver gets them. */
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OtlpReceiver, openOtlpReceiver, prometheusLinesOf } from "#test/harness/otlp.ts";
import { startSecondGateway, startServer, type TestServer } from "#test/harness/server.ts";

let receiver: OtlpReceiver;
let server: TestServer;
let gateway: TestServer;

beforeAll(async () => {
  receiver = await openOtlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: "200", OTEL_METRIC_EXPORT_INTERVAL: "500" };
  server = await startServer(env);
  gateway = await startSecondGateway(server, env);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
});

it("continues the caller's trace across two processes and the queue", async () => {
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
    receiver.spans.find((span) => span.traceId === traceId && span.name === name && (kind === undefined || span.kind === kind));
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
  expect(JSON.stringify(receiver.spans)).not.toMatch(/a-secret-name|fm_/);
});

it("sends each process's metrics as in /metrics", async () => {
  const counted = async (url: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.split("\n").filter((line) => /^filemill_(jobs|attempts|job)\w*_(total|count|sum|bucket)/.test(line));
  };
  const lines = await counted(server.url);
  expect(lines.join("\n")).toMatch(/^filemill_attempts_total\{.*outcome="done".*\} 1$/m);
  await expect
    .poll(() => receiver.metrics.map(({ metrics }) => prometheusLinesOf(metrics)), { timeout: 30_000 })
    .toContainEqual(expect.arrayContaining(lines));
  const instances = receiver.metrics.map(({ resource }) => resource.find(({ key }) => key === "service.instance.id")?.value.stringValue);
  expect(new Set(instances).size).toBe(2);
});
