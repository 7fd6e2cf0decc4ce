/** A server's public REST API, for the commands. */
import { createWriteStream, openAsBlob } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { FormDataEncoder } from "form-data-encoder";
import { FilemillError, isErrorCode } from "#contract/errors.ts";
import type { JobJson } from "#contract/job-json.ts";
import type { RouteView } from "#gateway/mcp/workbench.ts";
import type { ConvertTask, Library, Listed, Progress } from "./library.ts";
import { bytesOf, callJson, callRest, type RestCall } from "./rest-call.ts";
import type { ServerAddress } from "./server-address.ts";
import { unreadable } from "./unreadable.ts";

export type Remote = Pick<Library, "convert" | "formats" | "route"> & {
  jobs(status: string | undefined, limit: number): Promise<JobJson[]>;
  /** Resolves when the job has ended, successfully or not. */
  untilEnded(job: JobJson, signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<JobJson>;
  job(id: string): Promise<JobJson>;
  /** Writes the result of a finished job to a temporary file next to the path, and renames it once it is complete. */
  download(job: JobJson, path: string, signal: AbortSignal): Promise<void>;
  remove(id: string): Promise<void>;
};

type JobAnswer = { readonly job: JobJson };

export function openRemote(server: ServerAddress): Remote {
  return {
    convert: (task) => convert(server, task),
    untilEnded: (job, signal, onProgress) => untilEnded(server, job, signal, onProgress),
    download: (job, path, signal) => download(server, job, path, signal),
    remove: (id) => remove(server, id),
    formats: () => callJson<Listed>(server, { path: "api/v1/formats", headers: { "accept-encoding": "gzip" } }, "formats"),
    async route(from, to) {
      const path = `api/v1/routes/${encodeURIComponent(from)}/${encodeURIComponent(to)}`;
      return (await callJson<{ route: RouteView }>(server, { path }, "route")).route;
    },
    job: (id) => callForJob(server, { path: jobPath(id) }),
    async jobs(status, limit) {
      const query = new URLSearchParams({ limit: String(limit), ...(status === undefined ? {} : { status }) });
      return (await callJson<{ jobs: JobJson[] }>(server, { path: `api/v1/jobs?${query}` }, "jobs")).jobs;
    },
  };
}

async function callForJob(server: ServerAddress, call: RestCall): Promise<JobJson> {
  return (await callJson<JobAnswer>(server, call, "job")).job;
}

async function untilEnded(
  server: ServerAddress,
  job: JobJson,
  signal: AbortSignal,
  onProgress?: (progress: Progress) => void,
): Promise<JobJson> {
  let seen = job;
  while (seen.status_url !== null) {
    onProgress?.({ stage: seen.status === "queued" ? "waiting" : "converting" });
    seen = await callForJob(server, { path: seen.status_url, headers: { prefer: "wait=20" }, signal });
  }
  return seen;
}

async function download(server: ServerAddress, job: JobJson, path: string, signal: AbortSignal): Promise<void> {
  if (job.download === null) throw failureOf(job);
  const part = `${path}.part`;
  try {
    await pipeline(bytesOf(await callRest(server, { path: job.download, signal })), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

async function convert(server: ServerAddress, task: ConvertTask): ReturnType<Library["convert"]> {
  const { onProgress, signal } = task;
  const form = await formOf(task);
  const query = new URLSearchParams({ ...task.options, ...(task.from === undefined ? {} : { from: task.from }) });
  let isSent = false;
  using posting = patientSignal(signal, () => isSent);
  const job = await callForJob(server, {
    method: "POST",
    path: `api/v1/convert?${query}`,
    signal: posting.signal,
    // Returns a job soon, so that it can be cancelled.
    headers: { prefer: "wait=1", ...passwordHeaders(task) },
    body: () => new FormDataEncoder(form),
    onSent: (bytes, totalBytes) => {
      isSent = bytes >= totalBytes;
      onProgress?.(isSent ? { stage: "converting" } : { stage: "uploading", bytes, totalBytes });
    },
  });
  try {
    signal.throwIfAborted();
    const ended = await untilEnded(server, job, signal, onProgress);
    onProgress?.({ stage: "downloading" });
    await download(server, ended, task.outputPath, signal);
    return { notes: ended.notes };
  } catch (error) {
    if (signal.aborted) await remove(server, job.id).catch(() => undefined);
    throw error;
  }
}

async function remove(server: ServerAddress, id: string): Promise<void> {
  (await callRest(server, { method: "DELETE", path: jobPath(id) })).resume();
}

const answerMs = 5000;

/** Fires with the other signal. If the file has already been sent, fires later, because only the answer tells which job to cancel. */
function patientSignal(signal: AbortSignal, isSent: () => boolean): Disposable & { readonly signal: AbortSignal } {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (isSent()) timer = setTimeout(() => own.abort(signal.reason), answerMs);
    else own.abort(signal.reason);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return {
    signal: own.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}

function jobPath(id: string): string {
  return `api/v1/jobs/${encodeURIComponent(id)}`;
}

function passwordHeaders({ password, outputPassword }: ConvertTask): Record<string, string> {
  return {
    ...(password === undefined ? {} : { "x-input-password": encodeURIComponent(password) }),
    ...(outputPassword === undefined ? {} : { "x-output-password": encodeURIComponent(outputPassword) }),
  };
}

/** The file is read from disk while it is sent. */
async function formOf(task: ConvertTask): Promise<FormData> {
  const file = await openAsBlob(task.inputPath).catch(unreadable(task.inputPath, "INVALID_INPUT"));
  const to = task.to ?? /\.([^.]+)$/.exec(basename(task.outputPath))?.[1];
  if (to === undefined) throw new FilemillError("UNSUPPORTED_TARGET", "The output has no extension; add --to FORMAT.");
  const form = new FormData();
  form.set("to", to);
  form.set("file", file, basename(task.inputPath));
  return form;
}

/** Why a job has no result. */
export function failureOf(job: JobJson): FilemillError {
  const { error, status } = job;
  if (error !== null) return new FilemillError(isErrorCode(error.code) ? error.code : "INTERNAL", error.message);
  if (status === "cancelled") return new FilemillError("JOB_CANCELLED", "The job was cancelled.");
  if (status === "expired") return new FilemillError("RESULT_EXPIRED", "The result was removed.");
  return new FilemillError("JOB_NOT_DONE", "The job is not done yet.");
}
