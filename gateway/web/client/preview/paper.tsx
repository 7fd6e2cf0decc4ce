import { useEffect, useState } from "preact/hooks";
import { follow, isEnded } from "#client/convert/follow.ts";
import { newId } from "#client/convert/ids.ts";
import { isShowable } from "#client/convert/names.ts";
import { upload } from "#client/convert/upload.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { ApiError, call, errorOf, messageOf, offline, ownHeader } from "#client/server/api.ts";

type Shown = { readonly kind: "pages" | "first-page"; readonly url: string };

/**
 * A PDF as the browser shows it; where it shows none, as on most phones, a picture of the first page, by a conversion of its own. From
 * memory, as not every browser's viewer runs under the policy that results are sent with.
 */
export function Paper({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  if (!isShowable(bytes)) return <Notice tone="plain">{t("text.tooLargeToShow")}</Notice>;
  return <Sheets address={address} name={name} />;
}

function Sheets({ address, name }: { address: string; name: string }) {
  const [shown, setShown] = useState<Shown | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    let url: string | undefined;
    const show = async (): Promise<void> => {
      const { pdfViewerEnabled } = navigator;
      const pdf = await fetched(address, stop.signal);
      const blob = pdfViewerEnabled ? new Blob([pdf], { type: "application/pdf" }) : await firstPage(pdf, name, stop.signal);
      stop.signal.throwIfAborted();
      url = URL.createObjectURL(blob);
      setShown({ kind: pdfViewerEnabled ? "pages" : "first-page", url });
    };
    show().catch((problem: unknown) => {
      if (!stop.signal.aborted) setError(problem);
    });
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [address]);
  if (error !== undefined) return <Notice tone="bad">{messageOf(error)}</Notice>;
  if (shown === undefined) return <p class="quiet">{t("text.loadingPreview")}</p>;
  if (shown.kind === "first-page") return <img class="preview preview-picture" src={shown.url} alt={t("aria.firstPage", { name })} />;
  return <iframe class="preview-paper" src={`${shown.url}#toolbar=0&navpanes=0&view=FitH`} title={t("aria.preview", { name })} />;
}

async function fetched(address: string, signal: AbortSignal): Promise<Blob> {
  const answer = await fetch(address, { headers: ownHeader, signal }).catch((error: unknown) => {
    throw signal.aborted ? error : offline();
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.text(), answer.headers.get("retry-after"));
  return answer.blob();
}

/** The job is nobody's but this preview's, and is taken away with it. */
async function firstPage(pdf: Blob, name: string, signal: AbortSignal): Promise<Blob> {
  const file = new File([pdf], name, { type: "application/pdf" });
  const sent = { file, to: "png", from: undefined, options: {}, idempotencyKey: newId(), signal, begun: undefined };
  let job = await upload({ ...sent, onBegun() {}, onProgress() {} });
  try {
    if (!isEnded(job)) job = await follow(job.id, () => {}, signal);
    if (job.status !== "done") throw new ApiError(422, { error: { code: "FIRST_PAGE", message: t("error.FIRST_PAGE") } }, null);
    return await fetched(`/web/v1/jobs/${job.id}/download`, signal);
  } finally {
    await call(`/jobs/${job.id}`, { method: "DELETE" }).catch(() => {});
  }
}
