import { type ApiError, answerOf, call, errorOf, offline, ownHeader } from "#client/server/api.ts";
import type { Job } from "#client/server/wire.ts";
import type { Item } from "./items.ts";
import type { Upload } from "./sending.ts";

/** How long the server holds the answer. A quick conversion then needs no second request. */
const WAIT_SECONDS = 1;

/** Above this size, being able to resume is worth three additional requests. */
const IN_PIECES_FROM_BYTES = 8_000_000;

/** Uploads a file. Resolves with its job, rejects with an ApiError. */
export async function upload(wanted: Upload): Promise<Job> {
  const { file, password, outputPassword, idempotencyKey } = wanted;
  const headers = {
    Prefer: `wait=${WAIT_SECONDS}`,
    "Idempotency-Key": idempotencyKey,
    ...(password === undefined ? {} : { "X-Input-Password": encodeURIComponent(password) }),
    ...(outputPassword === undefined ? {} : { "X-Output-Password": encodeURIComponent(outputPassword) }),
  };
  if (file.size < IN_PIECES_FROM_BYTES) return uploadAtOnce(wanted, headers);
  const pieces = await import("./pieces.ts").catch(() => Promise.reject(offline()));
  return pieces.uploadInPieces(wanted, headers);
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function uploadAtOnce({ file, to, from, options, signal, onProgress }: Upload, headers: Readonly<Record<string, string>>): Promise<Job> {
  const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
  if (from !== undefined) query.set("from", from);
  const form = new FormData();
  form.append("to", to);
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const refuse = (error: ApiError) => reject(error);
    request.open("POST", `/web/v1/convert?${query}`);
    for (const [name, value] of Object.entries({ ...ownHeader, ...headers })) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      if (status !== 200 && status !== 202) return refuse(errorOf(status, responseText, request.getResponseHeader("retry-after")));
      try {
        resolve(answerOf<{ job: Job }>(status, responseText).job);
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener("error", () => refuse(offline()));
    request.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

/** Deletes an unfinished upload from the server. */
export function giveUpUpload(upload: Item["upload"]): void {
  const id = upload?.address.split("/").at(-1);
  if (id !== undefined) void call(`/uploads/${id}`, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } }).catch(() => {});
}
