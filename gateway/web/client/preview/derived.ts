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
export async function derived(file: File, to: string, signal: AbortSignal): Promise<Blob> {
  const sent = { file, to, from: undefined, options: {}, idempotencyKey: newId(), signal, begun: undefined };
  let job = await upload({ ...sent, onBegun() {}, onProgress() {} });
  try {
    if (!isEnded(job)) job = await follow(job.id, () => {}, signal);
    if (job.status !== "done") throw new ApiError(422, { error: { code: "FIRST_PAGE", message: t("error.FIRST_PAGE") } }, null);
    return await (await ask(`/web/v1/jobs/${job.id}/download`, signal)).blob();
  } finally {
    await call(`/jobs/${job.id}`, { method: "DELETE" }).catch(() => {});
  }
}
