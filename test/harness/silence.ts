/** Guests that send silence: a few kilobytes each, and hundreds of megabytes as WAV. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Answer, type BrowserClient, openBrowserClient } from "./browser-client.ts";
import type { TestServer } from "./server.ts";

/** Settings sufficient for sounds and pictures, with X-Forwarded-For trusted. */
export const behindProxy = { DOCUMENT_SLOTS: "0", OFFICE_SLOTS: "0", TRUSTED_PROXIES: "127.0.0.1" };
const rates = { requestsPerMinute: 1_000_000, maxUnfinishedJobs: 20, retentionSeconds: 3600 };
const plus = { apiAccess: true, maxInputMb: 500, ...rates };
/** Plans without effective limits except the given ones. */
export const plansWith = (free: object, own: object = {}) => ({
  free: { apiAccess: false, maxInputMb: 25, ...rates, ...free },
  plus: { ...plus, ...own },
});

/** Stereo silence of this many seconds: a few kilobytes that become 0.1764 MB per second as WAV. */
export async function silentFlac(seconds: number, folder: string): Promise<Buffer<ArrayBuffer>> {
  const path = join(folder, `../silence-${seconds}.flac`);
  const source = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", String(seconds)];
  await promisify(execFile)("ffmpeg", ["-v", "error", "-y", ...source, "-sample_fmt", "s16", path]);
  return readFile(path);
}

/** A browser behind the proxy, with its own cookie jar. */
export function guestAt(server: TestServer, address: string): BrowserClient {
  const guest = openBrowserClient(server.url);
  guest.headers.set("x-forwarded-for", address);
  return guest;
}

/** Converts, and waits if the job is queued. */
export async function toWav(guest: BrowserClient, flac: Buffer<ArrayBuffer>): Promise<Answer> {
  const first = await guest.convert("wav", flac, "a.flac");
  if (first.status !== 202) return first;
  for (;;) {
    const look = await guest.ask("GET", `/web/v1/jobs/${first.json.job.id}`);
    if (!["queued", "running"].includes(look.json.job.status)) return look;
    await sleep(100);
  }
}

export const codeOf = (answer: Answer): string => answer.json.error?.code ?? answer.json.job.error?.code ?? answer.json.job.status;
