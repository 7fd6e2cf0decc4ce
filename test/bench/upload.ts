import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { startServer } from "#test/harness/server.ts";
import { convert } from "./rest-client.ts";

const sizeBytes = 400_000_000;

/** A WAV header for as much silence as is needed; the bytes after it are made while they are sent. */
function wav(): Readable {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(sizeBytes - 8, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(48_000, 24);
  header.writeUInt32LE(192_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(sizeBytes - 44, 40);
  const chunk = Buffer.alloc(1 << 20);
  return Readable.from(
    (function* () {
      yield header;
      for (let left = sizeBytes - 44; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
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
