import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { openCpuMeter } from "./cpu-meter.ts";
import { compare, report } from "./measure.ts";
import { convert } from "./rest-client.ts";

const meteredRequests = 200;

/** A PNG of about 10 KB: an icon with a gradient, a shape and a little texture. */
export async function makeIcon(): Promise<Buffer> {
  const side = 128;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><defs><radialGradient id="g"><stop offset="0" stop-color="#fc3"/><stop offset="1" stop-color="#c26"/></radialGradient></defs><rect width="${side}" height="${side}" rx="24" fill="url(#g)"/><path d="M24 96 64 24l40 72z" fill="#fff" fill-opacity=".8"/></svg>`;
  return await sharp(Buffer.from(svg)).png().toBuffer();
}

/** Compared with a user's own script: sharp, warm, from file to file. Memory to memory, which avoids both files, is also printed. */
export async function benchIcon(): Promise<string[]> {
  await using server = await startServer({ LOG_LEVEL: "warn" });
  const icon = await makeIcon();
  const folder = await mkdtemp(join(server.dataDir, "bench-"));
  const [from, to] = [join(folder, "icon.png"), join(folder, "icon.webp")];
  await writeFile(from, icon);
  const ours = async (): Promise<void> => {
    const { status } = await convert(server, { to: "webp", name: "icon.png", query: "?download=1" }, icon);
    if (status !== 200) throw new Error(`status ${status}`);
  };
  const alone = (): Promise<unknown> => sharp(from).webp().toFile(to);
  const inMemory = (): Promise<unknown> => sharp(icon).webp().toBuffer();
  // Long enough for a warm server: during the first hundreds of requests, code is still being compiled.
  await compare(300, ours, alone);
  const pair = await compare(200, ours, alone);
  const memoryPair = await compare(200, ours, inMemory);
  return [
    report(`icon, ${(icon.length / 1000).toFixed(1)} kB PNG to WebP, inline / sharp alone`, pair, "2.0"),
    report("icon, inline / sharp alone without files", memoryPair, "none"),
    await cpuLine(server, ours),
  ];
}

async function cpuLine(server: TestServer, request: () => Promise<void>): Promise<string> {
  const meter = openCpuMeter(server.child.pid ?? 0);
  let spent = meter.look();
  for (let count = 1; count <= meteredRequests; count += 1) {
    await request();
    if (count % 10 === 0) spent = meter.look();
  }
  const each = (ms: number): string => `${(ms / meteredRequests).toFixed(1)} ms`;
  return `icon: CPU time a request ${each(spent.supervisor)} in the service, ${each(spent.broker)} in the broker, ${each(spent.engines)} in engines, their successors' start included`;
}
