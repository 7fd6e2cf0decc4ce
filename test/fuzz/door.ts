/** Request bodies, options and format detection under mutated input. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FilemillError } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import { sniff } from "#formats/sniff/sniff.ts";
import { preferencesOf } from "#gateway/http/prefer.ts";
import { parseQuery } from "#gateway/http/query.ts";
import { startServer } from "#test/harness/server.ts";

export const boundary = "fuzzed";
const maxAnswerMs = 120_000;
/** CPU time: the machine may be busy. */
const maxSniffMs = 2000;
/** Partial uploads are removed soon after the client is answered. */
const maxTidyMs = 30_000;

/** Undefined if everything is as it should be; otherwise what was wrong. */
export type Verdict = string | undefined;
export type DoorTarget = AsyncDisposable & {
  /** Sends a raw multipart body. */
  post(body: Uint8Array): Promise<Verdict>;
};

export async function openDoorTarget(): Promise<DoorTarget> {
  const server = await startServer({ LOG_LEVEL: "error", CONVERSION_TIMEOUT_MS: "10000" });
  async function post(body: Uint8Array): Promise<Verdict> {
    const headers = {
      authorization: `Bearer ${server.key}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      prefer: "wait=5",
    };
    const response = await fetch(`${server.url}/api/v1/convert`, {
      method: "POST",
      headers,
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(maxAnswerMs),
    }).catch((error: unknown) => `no answer: ${String(error)}`);
    if (typeof response === "string") return response;
    const text = await response.text();
    if (response.status >= 500) return `it answered ${response.status}: ${text.slice(0, 300)}`;
    if (server.child.exitCode !== null) return "the service ended";
    const partial = join(server.dataDir, "blobs", "partial");
    for (const startedAt = performance.now(); (await readdir(partial)).length > 0; await sleep(20)) {
      if (performance.now() - startedAt > maxTidyMs) return "half a file was left";
    }
    return undefined;
  }
  return { post, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Two fields as a client sends them, to be mutated. */
export function goodBody(content: Uint8Array, name: string, to: string): Buffer {
  const target = `--${boundary}\r\nContent-Disposition: form-data; name="to"\r\n\r\n${to}\r\n`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(target + head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

export async function trySniff(content: Uint8Array, name: string): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-fuzz-"));
  try {
    const path = join(folder, "file");
    await writeFile(path, content);
    const before = process.cpuUsage();
    const { format } = await sniff(path, name);
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > maxSniffMs) return "sniffing took too long";
    return format === undefined || formatOf(format) !== undefined ? undefined : `there is no format ${format}`;
  } catch (error) {
    return `sniffing threw ${String(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Query string and preferences of a request. */
export function tryOptions(text: string): Verdict {
  try {
    parseQuery(`/?${text}`);
    preferencesOf(text);
    return undefined;
  } catch (error) {
    return error instanceof FilemillError && error.code === "BAD_REQUEST" ? undefined : `it threw ${String(error)}`;
  }
}
