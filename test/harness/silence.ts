/** Guests with silences: a few kilobytes each, and hundreds of megabytes as WAV. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Answer, type BrowserClient, openBrowserClient } from "./browser-client.ts";
import type { TestServer } from "./server.ts";

/** Everything that sounds and pictures need, with the address in X-Forwarded-For believed. */
export const behindProxy = { DOCUMENT_SLOTS: "0", OFFICE_SLOTS: "0", TRUSTED_PROXIES: "127.0.0.1" };
const rates = { requestsPerMinute: 1_000_000, maxUnfinishedJobs: 20, retentionSeconds: 3600 };
const plus = { apiAccess: true, maxInputMb: 500, ...rates };
/** Plans that nobody runs into but for what is given. */
export const plansWith = (free: object, own: object = {}) => ({
  free: { apiAccess: false, maxInputMb: 25, ...rates, ...free },
  plus: { ...plus, ...own },
});

/** So many seconds of nothing in stereo: a few kilobytes that are 0.1764 MB a second as WAV. */
export async function silentFlac(seconds: number, folder: string): Promise<Buffer<ArrayBuffer>> {
  const path = join(folder, `../silence-${seconds}.flac`);
  const source = ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", String(seconds)];
  await promisify(execFile)("ffmpeg", ["-v", "error", "-y", ...source, "-sample_fmt", "s16", path]);
  return readFile(path);
}

/** A browser behind the proxy, with a jar of its own. */
export function guestAt(server: TestServer, address: string): BrowserClient {
  const guest = openBrowserClient(server.url);
  guest.headers.set("x-forwarded-for", address);
  return guest;
}

/** Converts, and waits for the end of what is always queued. */
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
