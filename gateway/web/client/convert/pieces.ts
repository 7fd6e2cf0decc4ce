/** Files that are too large to be sent anew whenever the line breaks: in pieces, by the tus protocol (decision 76). */
import { type DetailedError, Upload as Tus } from "tus-js-client";
import { type ApiError, call, errorOf, offline, ownHeader } from "#client/server/api.ts";
import type { Job } from "#client/server/wire.ts";
import type { Upload } from "./sending.ts";

/** What a proxy in front that passes on whole requests alone may lose at a cut. */
const PIECE_BYTES = 32_000_000;
const base = "/web/v1/uploads";

/** Goes on where the server says that it is; resolves with the job, rejects with an ApiError. */
export async function uploadInPieces(wanted: Upload, headers: Readonly<Record<string, string>>): Promise<Job> {
  const { file, to, from, options, signal } = wanted;
  const id = (await sendPieces(wanted)).split("/").at(-1) ?? "";
  const body = { to, name: file.name, options, ...(from === undefined ? {} : { from }) };
  return (await call<{ job: Job }>(`/uploads/${id}/convert`, { method: "POST", body, signal, headers })).job;
}

/** Resolves with the address of the complete upload. */
function sendPieces({ file, begun, onBegun, onProgress, signal }: Upload): Promise<string> {
  return new Promise((resolve, reject) => {
    const tus = new Tus(file, {
      endpoint: new URL(base, location.href).href,
      ...(begun === undefined ? {} : { uploadUrl: new URL(begun, location.href).href }),
      chunkSize: PIECE_BYTES,
      headers: { ...ownHeader },
      metadata: { filename: file.name },
      // Both by whoever calls: one place decides when to try again, and the address lies beside the file.
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

/** What another question may find otherwise is told like a line that broke: an offset that moved on, or a body that came too slowly. */
function refusalOf({ originalResponse: answer }: DetailedError): ApiError {
  const status = answer?.getStatus() ?? 0;
  if (answer === null || answer === undefined || [0, 408, 409, 423].includes(status)) return offline();
  return errorOf(status, answer.getBody(), answer.getHeader("retry-after") ?? null);
}
