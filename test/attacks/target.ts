/** The attacked service, as seen by its clients and its host. */
import { memoryOf } from "#services/conversion/sandbox/usage.ts";
import type { TestServer } from "#test/harness/server.ts";

export type Answer = {
  readonly status: number;
  readonly code: string | undefined;
  readonly jobId: string | undefined;
  readonly body: Buffer;
  readonly headers: Headers;
};

export type Upload = {
  readonly to: string;
  readonly fileName: string;
  readonly content: Uint8Array | string;
  readonly query?: string;
  readonly key?: string;
};

/** Converts and downloads in one request. */
export async function convert(server: TestServer, { to, fileName, content, query, key = server.key }: Upload): Promise<Answer> {
  const form = new FormData();
  form.append("to", to);
  form.append("file", new Blob([new Uint8Array(Buffer.from(content))]), fileName);
  const url = `${server.url}/api/v1/convert?download=1${query === undefined ? "" : `&${query}`}`;
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(url, { method: "POST", headers, body: form });
  if (response.status === 202) return waitFor(server, key, (await jobOf(response)).id);
  return answerOf(response);
}

async function waitFor(server: TestServer, key: string, jobId: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, prefer: "wait=60" };
  let job = await jobOf(await fetch(`${server.url}/api/v1/jobs/${jobId}`, { headers }));
  // Each request is held for a minute at most.
  while (["queued", "running"].includes(job.status)) job = await jobOf(await fetch(`${server.url}/api/v1/jobs/${jobId}`, { headers }));
  if (job.status === "done") return answerOf(await fetch(job.download, { headers }));
  return { status: 422, code: job.error?.code, jobId, body: Buffer.from(JSON.stringify(job)), headers: new Headers() };
}

type Job = { readonly id: string; readonly status: string; readonly download: string; readonly error: { readonly code: string } | null };

async function jobOf(response: Response): Promise<Job> {
  return JSON.parse(await response.text()).job;
}

async function answerOf(response: Response): Promise<Answer> {
  const body = Buffer.from(await response.arrayBuffer());
  const told = response.status === 200 ? undefined : JSON.parse(body.toString());
  const jobId = response.headers.get("x-job-id") ?? told?.job?.id;
  return { status: response.status, code: told?.error?.code, jobId, body, headers: response.headers };
}

export async function removeJob(server: TestServer, jobId: string): Promise<void> {
  await fetch(`${server.url}/api/v1/jobs/${jobId}`, { method: "DELETE", headers: { authorization: `Bearer ${server.key}` } });
}

/** Number of engine runs so far: all, or of one engine. */
export async function hopsOf(server: TestServer, engine?: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const counts = [...text.matchAll(/^filemill_hop_seconds_count\{engine="([^"]*)"\} (\d+)/gm)];
  return counts.reduce((sum, [, name, count]) => sum + (engine === undefined || engine === name ? Number(count) : 0), 0);
}

/** Tracks the memory of the service with all its engines. */
export function watchMemory(server: TestServer): Disposable & { growthBytes(): number } {
  const first = memoryOf(server.child.pid ?? 0);
  let peak = first;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(server.child.pid ?? 0));
  }, 100);
  return { growthBytes: () => peak - first, [Symbol.dispose]: () => clearInterval(timer) };
}
