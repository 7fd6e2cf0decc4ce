/** A generated sound and film. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
export const toneSeconds = 2;
const rate = 44_100;

/** Two seconds of 16-bit stereo, 440 Hz left and 660 Hz right, as RIFF from scratch. */
export async function writeTone(path: string): Promise<void> {
  const frames = rate * toneSeconds;
  const bytes = Buffer.alloc(44 + frames * 4);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(2, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 4, 28);
  bytes.writeUInt16LE(4, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(frames * 4, 40);
  for (let frame = 0; frame < frames; frame++) {
    bytes.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * 440 * frame) / rate)), 44 + frame * 4);
    bytes.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * 660 * frame) / rate)), 46 + frame * 4);
  }
  await writeFile(path, bytes);
}

/** Two seconds of test picture, 160 × 120 at 25 frames per second, with a tone. */
export async function writeFilm(path: string, ...args: readonly string[]): Promise<void> {
  const sources = [
    "-f",
    "lavfi",
    "-i",
    `testsrc=size=160x120:rate=25:duration=${toneSeconds}`,
    "-f",
    "lavfi",
    "-i",
    `sine=frequency=440:sample_rate=48000:duration=${toneSeconds}`,
  ];
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...sources, ...args, path]);
}

export async function streamsOf(path: string): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await run("ffprobe", ["-v", "error", "-of", "json", "-show_streams", path]);
  const { streams }: { streams: Record<string, unknown>[] } = JSON.parse(stdout);
  return streams;
}

/** Digest of the samples, decoded to 16 bits. */
export async function soundDigestOf(path: string): Promise<string> {
  const { stdout } = await run("ffmpeg", ["-nostdin", "-v", "error", "-i", path, "-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "md5", "-"]);
  return stdout.trim();
}

export async function secondsOf(path: string): Promise<number> {
  return Number((await run("ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])).stdout);
}

/** Digests of the stored packets of one kind of stream. */
export async function packetsOf(path: string, sort: "a" | "v"): Promise<readonly string[]> {
  const args = ["-v", "error", "-select_streams", `${sort}:0`, "-show_packets", "-show_data_hash", "md5", "-show_entries"];
  const { stdout } = await run("ffprobe", [...args, "packet=data_hash", "-of", "csv=p=0", path], { maxBuffer: 2 ** 24 });
  return stdout.match(/MD5:\w+/g) ?? [];
}
