import { useEffect, useState } from "preact/hooks";
import { isShowable } from "#client/convert/names.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";
import { derived } from "./derived.ts";

type Shown = { readonly kind: "pages" | "first-page"; readonly url: string };

/**
 * A PDF in the browser's viewer. Without a viewer, as on most phones, shows a picture of the first page, made by a separate conversion.
 * Loaded from memory, because some browsers' viewers do not work under the content security policy of results.
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
      const pdf = new File([await (await ask(address, stop.signal)).blob()], name, { type: "application/pdf" });
      const blob = pdfViewerEnabled ? pdf : await derived(pdf, "png", stop.signal);
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
