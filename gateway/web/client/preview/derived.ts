import { follow, isEnded } from "#client/convert/follow.ts";
import { newId } from "#client/convert/ids.ts";
import { upload } from "#client/convert/upload.ts";
import { t } from "#client/parts/language.tsx";
import { ApiError, call } from "#client/server/api.ts";
import { ask } from "./ask.ts";

/**
 * What browsers cannot show, made into what they can by a conversion of its own. The job is nobody's but this preview's, and is taken away
 * with it.
 */
export async function derived(file: File, to: string, signal: AbortSignal, options: Readonly<Record<string, string>> = {}): Promise<Blob> {
  const sent = { file, to, from: undefined, options, idempotencyKey: newId(), signal, begun: undefined };
  let job = await upload({ ...sent, onBegun() {}, onProgress() {} }).catch((error: unknown) => {
    // Of the result itself: what is wrong with it is no business of its reader, who did not make it.
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
