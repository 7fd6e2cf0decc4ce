import { createClient } from "@connectrpc/connect";
import sharp from "sharp";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { wavHeader } from "#test/harness/wav-file.ts";
import { makeIcon } from "./icon.ts";
import { median } from "./measure.ts";
import { convert } from "./rest-client.ts";

/** What another account sends continuously, and how many in parallel. */
type Trouble = { readonly what: string; readonly name: string; readonly to: string; readonly abreast: number; bytes(): Promise<Buffer> };

const rounds = 60;
const longestMs = 8000;
/** Alternates idle and loaded, since the machine's speed varies. */
const cycles = 2;

/** Twenty minutes of noise: seconds of encoding for a few megabytes. */
async function longSound(): Promise<Buffer> {
  const sampleBytes = 8000 * 1200;
  return Buffer.concat([wavHeader(sampleBytes, { sampleRate: 8000, channels: 1, sampleBytes: 1 }), noise(sampleBytes)]);
}

function noise(bytes: number): Buffer {
  let state = 1;
  return Buffer.from(
    Uint8Array.from({ length: bytes }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

const side = 1500;
const noisePicture = (): Promise<Buffer> =>
  sharp(noise(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();

/** Shapes that reference each other 10⁸ times. */
function endlessDrawing(): Buffer {
  const levels = Array.from({ length: 8 }, (_, level) => `<g id="g${level + 1}">${`<use href="#g${level}"/>`.repeat(10)}</g>`);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><defs><rect id="g0" width="9" height="9"/>${levels.join("")}</defs><use href="#g8"/></svg>`,
  );
}

const troubles: readonly Trouble[] = [
  { what: "damaged pictures, same lane", name: "a.png", to: "webp", abreast: 4, bytes: async () => (await makeIcon()).subarray(0, 4000) },
  { what: "one slow picture after the other, same lane", name: "a.png", to: "avif", abreast: 1, bytes: noisePicture },
  { what: "slow pictures in every slot, same lane", name: "a.png", to: "avif", abreast: 8, bytes: noisePicture },
  {
    what: "damaged documents, office lane",
    name: "a.rtf",
    to: "pdf",
    abreast: 4,
    bytes: async () => Buffer.concat([Buffer.from("{\\rtf1\\ansi{\\object\\objdata "), noise(200_000)]),
  },
  {
    what: "endless tables, office lane",
    name: "a.csv",
    to: "pdf",
    abreast: 4,
    bytes: async () => Buffer.from("one,two,three,four,five,six\n".repeat(20_000)),
  },
  {
    what: "files that hang until their time is up, document lane",
    name: "a.ps",
    to: "pdf",
    abreast: 4,
    bytes: async () => Buffer.from("%!PS\n{ 1 pop } loop\n"),
  },
  {
    what: "drawings without end, same lane",
    name: "a.svg",
    to: "png",
    abreast: 4,
    bytes: async () => endlessDrawing(),
  },
  { what: "long sounds, media lane", name: "a.wav", to: "opus", abreast: 4, bytes: longSound },
];

/** An icon's latency for one account while another one causes trouble, compared with the same service before and after. */
export async function benchFairness(): Promise<string[]> {
  await using server = await startServer({ LOG_LEVEL: "fatal", CONVERSION_TIMEOUT_MS: "20000" });
  const other = { ...server, key: await otherKey(server) };
  const icon = await makeIcon();
  const iconMs = async (): Promise<number> => {
    const startedAt = performance.now();
    const { status } = await convert(server, { to: "webp", name: "icon.png", query: "?download=1" }, icon);
    if (status !== 200) throw new Error(`status ${status}`);
    return performance.now() - startedAt;
  };
  await times(50, iconMs);
  const lines: string[] = [];
  for (const trouble of troubles) {
    const idle = await times(rounds, iconMs);
    const loaded: number[] = [];
    let ended = 0;
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const phase = await during(other, trouble, () => times(rounds, iconMs));
      loaded.push(...phase.loaded);
      ended += phase.ended;
      idle.push(...(await times(rounds, iconMs)));
    }
    const ratio = (quantile: number): string => (at(loaded, quantile) / at(idle, quantile)).toFixed(2);
    lines.push(
      `icon beside ${trouble.what}`.padEnd(56) +
        ` ${median(loaded).toFixed(1).padStart(7)} ms / ${median(idle).toFixed(1).padStart(5)} ms idle = ${ratio(0.5)}x, 95th of 100: ${ratio(0.95)}x  (${ended} of the others ended)`,
    );
  }
  return lines;
}

async function otherKey({ rpcUrl, rpcToken }: TestServer): Promise<string> {
  const accounts = createClient(AccountService, remoteTransport(rpcUrl, rpcToken));
  const { account } = await accounts.createAccount({ email: "other@example.org", plan: "plus" });
  return (await accounts.createKey({ account: { ref: { case: "id", value: account?.id ?? "" } }, name: "bench" })).secret;
}

async function during(
  server: TestServer,
  trouble: Trouble,
  measure: () => Promise<number[]>,
): Promise<{ loaded: number[]; ended: number }> {
  const bytes = await trouble.bytes();
  let over = false;
  let ended = 0;
  const send = async (): Promise<void> => {
    while (!over) {
      await convert(server, { to: trouble.to, name: trouble.name }, bytes);
      ended += 1;
    }
  };
  const senders = Array.from({ length: trouble.abreast }, send);
  // Waits until it has started everywhere.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const loaded = await measure();
  over = true;
  await Promise.all(senders);
  return { loaded, ended };
}

async function times(count: number, run: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  const end = performance.now() + longestMs;
  while (all.length < count && performance.now() < end) all.push(await run());
  return all;
}

function at(values: readonly number[], quantile: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * quantile)] ?? Number.NaN;
}
