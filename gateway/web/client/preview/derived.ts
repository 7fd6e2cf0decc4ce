import { follow, isEnded } from "#client/convert/follow.ts";
import { newId } from "#client/convert/ids.ts";
import { upload } from "#client/convert/upload.ts";
import { t } from "#client/parts/language.tsx";
import { ApiError, call } from "#client/server/api.ts";
import { ask } from "./ask.ts";

/** Converts a file that browsers cannot display into one that they can. The job belongs only to this preview and is deleted afterwards. */
export async function derived(file: File, to: string, signal: AbortSignal, options: Readonly<Record<string, string>> = {}): Promise<Blob> {
  const sent = { file, to, from: undefined, options, idempotencyKey: newId(), signal, begun: undefined };
  let job = await upload({ ...sent, onBegun() {}, onProgress() {} }).catch((error: unknown) => {
    // The file is a result, so an error about it is not the reader's fault and would only confuse.
    throw error instanceof ApiError && error.status === 422 ? failed() : error;
  });
  try {
    if (!isEnded(job)) job = await follow(job.id, () => {}, signal);
    if (job.status !== "done") throw failed();
    return await (await ask(`/web/v1/jobs/${job.id}/download`, signal)).blob();
  } finally {
    await call(`/jobs/${job.id}`, { method: "DELETE" }).catch(() => {});
  }
}

function failed(): ApiError {
  return new ApiError(422, { error: { code: "PREVIEW_FAILED", message: t("error.PREVIEW_FAILED") } }, null);
}
