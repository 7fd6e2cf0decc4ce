import { type ApiError, errorOf, offline, ownHeader } from "#client/server/api.ts";
import type { Job } from "#client/server/wire.ts";
import type { Choices } from "./items.ts";

export type Upload = {
  readonly file: File;
  readonly to: string;
  /** Only where it shall override what the server sees. */
  readonly from: string | undefined;
  readonly options: Choices;
  /** Of a protected file. */
  readonly password?: string | undefined;
  readonly outputPassword?: string | undefined;
  /** The same for each try, so that a lost answer does not convert the file twice. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** @param fraction - 0 to 1. */
  onProgress(fraction: number): void;
};

/** How long the answer may wait for a quick conversion, which then needs no second question. */
const WAIT_SECONDS = 1;

/** Sends a file; resolves with its job, rejects with an ApiError. XMLHttpRequest, as fetch tells nothing of an upload's progress. */
export function upload({ file, to, from, options, password, outputPassword, idempotencyKey, signal, onProgress }: Upload): Promise<Job> {
  const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
  if (from !== undefined) query.set("from", from);
  const form = new FormData();
  form.append("to", to);
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const refuse = (error: ApiError) => reject(error);
    request.open("POST", `/web/v1/convert?${query}`);
    for (const [name, value] of Object.entries(ownHeader)) request.setRequestHeader(name, value);
    request.setRequestHeader("Prefer", `wait=${WAIT_SECONDS}`);
    request.setRequestHeader("Idempotency-Key", idempotencyKey);
    if (password !== undefined) request.setRequestHeader("X-Input-Password", encodeURIComponent(password));
    if (outputPassword !== undefined) request.setRequestHeader("X-Output-Password", encodeURIComponent(outputPassword));
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      if (status !== 200 && status !== 202) return refuse(errorOf(status, responseText, request.getResponseHeader("retry-after")));
      resolve((JSON.parse(responseText) as { job: Job }).job);
    });
    request.addEventListener("error", () => refuse(offline()));
    request.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
