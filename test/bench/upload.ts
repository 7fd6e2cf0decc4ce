import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { startServer } from "#test/harness/server.ts";
import { wavHeader, wavHeaderBytes } from "#test/harness/wav-file.ts";
import { convert } from "./rest-client.ts";

const sizeBytes = 400_000_000;

/** A WAV header for as much silence as needed; the data is generated while it is sent. */
function wav(): Readable {
  const dataBytes = sizeBytes - wavHeaderBytes;
  const chunk = Buffer.alloc(1 << 20);
  return Readable.from(
    (function* () {
      yield wavHeader(dataBytes, { sampleRate: 48_000, channels: 2, sampleBytes: 2 });
      for (let left = dataBytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
    })(),
    { objectMode: false, highWaterMark: 1 << 20 },
  );
}

export async function benchUpload(): Promise<string[]> {
  await using server = await startServer({ LOG_LEVEL: "warn" });
  const restMb = await memoryMb(server.child.pid, "VmRSS");
  const start = performance.now();
  const upload = { to: "flac", name: "long.wav", headers: { prefer: "respond-async" } };
  const { status } = await convert(server, upload, { stream: wav(), sizeBytes });
  if (status !== 202) throw new Error(`status ${status}`);
  const seconds = (performance.now() - start) / 1000;
  const peakMb = await memoryMb(server.child.pid, "VmHWM");
  return [
    `upload of 400 MB: peak memory of the gateway's process ${peakMb.toFixed(0)} MB, ${restMb.toFixed(0)} MB before (budget 250), ${(400 / seconds).toFixed(0)} MB/s`,
  ];
}

async function memoryMb(pid: number | undefined, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1000;
}
