import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openLog } from "#kit/log.ts";
import type { Engine, EngineHost } from "#services/conversion/domain/engine.ts";
import { chromiumEngine } from "#services/conversion/engines/documents/chromium.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { openInspectors } from "#services/conversion/inspectors/open-inspectors.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { startServer } from "#test/harness/server.ts";
import { documentOf, doesHold, printFeatures } from "#test/services/conversion/engines/documents/print-features.ts";
import { printedOf } from "#test/services/conversion/engines/documents/printed.ts";
import { compare, report } from "./measure.ts";
import { convert } from "./rest-client.ts";

const program = "/usr/lib/chromium/chromium-headless-shell";
/** Until a browser is ready for the next page. */
const restMs = 1500;
const page = `<!DOCTYPE html><title>Letter</title><h1>Letter</h1>${"<p>Quokka zebra mango lemur, and so on for a line or two of a paragraph that is read by nobody.".repeat(12)}`;

/** Which print features each engine supports, and how long a single-page document takes. */
export async function benchPrint(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    const known = await Promise.all(
      [chromiumEngine, libreofficeEngine].map((engine, index) => knownBy(engine, join(folder, String(index)))),
    );
    const mark = (feature: string) => known.map((names) => (names.has(feature) ? "yes" : "no").padEnd(12)).join("");
    const sums = known.map((names) => `${names.size} of ${printFeatures.length}`.padEnd(12)).join("");
    return [
      `${"print".padEnd(52)} ${"Chromium".padEnd(12)}LibreOffice`,
      ...printFeatures.map(({ name }) => `${name.padEnd(52)} ${mark(name)}`),
      `${"together".padEnd(52)} ${sums}`,
      await speed(folder),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function knownBy(engine: Engine, folder: string): Promise<ReadonlySet<string>> {
  const log = openLog("silent");
  const settings = { scratchDir: join(folder, "scratch"), mode: "required" as const, firstUid: 63_000, memoryBytes: 2 ** 31, log };
  await using sandbox = await openSandbox(settings);
  await using inspector = await openInspectors({ sandbox, folder, log: () => undefined });
  await using open = await engine.open({ sandbox, inspector, slots: 1, spare: 0, log: () => undefined } satisfies EngineHost);
  const hop = engine.hops.find(({ from, to }) => from === "html" && to === "pdf");
  if (hop === undefined) throw new Error(`${engine.id} prints no pages`);
  const options = Object.fromEntries(hop.options.flatMap(({ name, default: usual }) => (usual === undefined ? [] : [[name, usual]])));
  const names = new Set<string>();
  for (const [number, feature] of printFeatures.entries()) {
    const path = join(folder, `${number}.html`);
    const content = documentOf(feature);
    await writeFile(path, content);
    const input = { path, format: "html", sizeBytes: Buffer.byteLength(content) };
    const bounds = { timeoutMs: 60_000, signal: new AbortController().signal, note: () => undefined, progress: () => undefined };
    await open.run({ hop, input, outputPath: `${path}.pdf`, options, ...bounds });
    if (await doesHold(feature, await printedOf(`${path}.pdf`))) names.add(feature.name);
  }
  return names;
}

/** From upload to answer, with an idle browser, compared with one that is started only to print that page. */
async function speed(folder: string): Promise<string> {
  await using server = await startServer({ LOG_LEVEL: "warn" });
  const path = join(folder, "letter.html");
  await writeFile(path, page);
  const ours = async (): Promise<void> => {
    const { status } = await convert(server, { to: "pdf", name: "letter.html", query: "?download=1" }, Buffer.from(page));
    if (status !== 200) throw new Error(`status ${status}`);
  };
  const flags = [
    "--no-sandbox",
    "--disable-gpu",
    `--user-data-dir=${join(folder, "profile")}`,
    `--print-to-pdf=${join(folder, "letter.pdf")}`,
  ];
  const bare = async (): Promise<void> => {
    await promisify(execFile)(program, [...flags, `file://${path}`]);
    await sleep(restMs);
  };
  await compare(2, ours, bare);
  const pair = await compare(11, ours, bare);
  const net = { ...pair, bare: pair.bare - restMs, ratio: pair.ours / (pair.bare - restMs) };
  return report("one page, HTML to PDF / the browser started for it", net, "1");
}
