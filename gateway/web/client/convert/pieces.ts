/** Resumable uploads by the tus protocol, for files too large to send again after every interruption (decision 76). */
import { type DetailedError, Upload as Tus } from "tus-js-client";
import { type ApiError, call, errorOf, offline, ownHeader } from "#client/server/api.ts";
import type { Job } from "#client/server/wire.ts";
import type { Upload } from "./sending.ts";

/** A proxy that buffers whole requests loses at most this much at an interruption. */
const PIECE_BYTES = 32_000_000;
const base = "/web/v1/uploads";

/** Continues at the offset that the server reports. Resolves with the job, rejects with an ApiError. */
export async function uploadInPieces(wanted: Upload, headers: Readonly<Record<string, string>>): Promise<Job> {
  const { file, to, from, options, signal } = wanted;
  const id = (await sendPieces(wanted)).split("/").at(-1) ?? "";
  const body = { to, name: file.name, options, ...(from === undefined ? {} : { from }) };
  return (await call<{ job: Job }>(`/uploads/${id}/convert`, { method: "POST", body, signal, headers })).job;
}

/** Resolves with the URL of the complete upload. */
function sendPieces({ file, begun, onBegun, onProgress, signal }: Upload): Promise<string> {
  return new Promise((resolve, reject) => {
    const tus = new Tus(file, {
      endpoint: new URL(base, location.href).href,
      ...(begun === undefined ? {} : { uploadUrl: new URL(begun, location.href).href }),
      chunkSize: PIECE_BYTES,
      headers: { ...ownHeader },
      metadata: { filename: file.name },
      // Both are handled by the caller: it alone decides about retries, and it stores the URL with the file.
      retryDelays: null,
      storeFingerprintForResuming: false,
      onUploadUrlAvailable: () => onBegun(new URL(tus.url ?? "").pathname),
      onProgress: (sent, total) => onProgress(sent / (total ?? file.size)),
      onSuccess: () => resolve(tus.url ?? ""),
      onError: (error) => reject(refusalOf(error as DetailedError)),
    });
    signal.addEventListener("abort", () => void tus.abort().finally(() => reject(signal.reason)), { once: true });
    tus.start();
  });
}

/** Errors that a retry may resolve are treated like a lost connection: a changed offset, or a body that arrived too slowly. */
function refusalOf({ originalResponse: answer }: DetailedError): ApiError {
  const status = answer?.getStatus() ?? 0;
  if (answer === null || answer === undefined || [0, 408, 409, 423].includes(status)) return offline();
  return errorOf(status, answer.getBody(), answer.getHeader("retry-after") ?? null);
}
