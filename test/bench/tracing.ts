import { openOtlpReceiver } from "#test/harness/otlp.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { openCpuMeter } from "./cpu-meter.ts";
import { makeIcon } from "./icon.ts";
import { median } from "./measure.ts";
import { convert } from "./rest-client.ts";

const atOnce = 16;
const requestsOfRound = 200;
const rounds = 8;
/** Often enough to see nearly all CPU time of a process that is replaced. */
const lookMs = 100;

/** CPU cost of OTLP: icons, sixteen at once, on two services alternately, one of which sends traces and metrics. */
export async function benchTracing(): Promise<string[]> {
  using receiver = await openOtlpReceiver();
  await using plain = await startServer({ LOG_LEVEL: "warn" });
  await using told = await startServer({ LOG_LEVEL: "warn", OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  const icon = await makeIcon();
  const costs: { service: number; all: number }[][] = [];
  for (let round = 0; round < rounds; round++) {
    const servers = round % 2 === 0 ? [plain, told] : [told, plain];
    const costOf = new Map<TestServer, { service: number; all: number }>();
    for (const server of servers) costOf.set(server, await costOfRound(server, icon));
    // In the first rounds the service's code is still being compiled.
    if (round >= 2) costs.push([plain, told].flatMap((server) => costOf.get(server) ?? []));
  }
  const ratio = (kind: "service" | "all") => median(costs.map(([a, b]) => (b?.[kind] ?? Number.NaN) / (a?.[kind] ?? Number.NaN)));
  const each = (index: number) => `${median(costs.map((pair) => pair[index]?.all ?? Number.NaN)).toFixed(2)} ms`;
  return [
    `icon, ${atOnce} at once, processor time each: ${each(0)}, with OTLP ${each(1)} = ${ratio("all").toFixed(3)}x (budget 1.02), ` +
      `of the service's process alone ${ratio("service").toFixed(3)}x; ${receiver.spans.length} spans and ${receiver.metrics.length} exports of metrics`,
  ];
}

/** Milliseconds per request. */
async function costOfRound(server: TestServer, icon: Buffer): Promise<{ service: number; all: number }> {
  const meter = openCpuMeter(server.child.pid ?? 0);
  meter.look();
  const timer = setInterval(() => meter.look(), lookMs);
  let left = requestsOfRound;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const { status } = await convert(server, { to: "webp", name: "icon.png", query: "?download=1" }, icon);
      if (status !== 200) throw new Error(`status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  clearInterval(timer);
  const { supervisor, broker, engines } = meter.look();
  return { service: supervisor / requestsOfRound, all: (supervisor + broker + engines) / requestsOfRound };
}
