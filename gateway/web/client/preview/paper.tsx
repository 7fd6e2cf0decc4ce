import { isShowable } from "#client/convert/names.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { ask } from "./ask.ts";
import { derived } from "./derived.ts";
import { NotYet, useLoaded } from "./loaded.tsx";

/**
 * A PDF in the browser's viewer. Without a viewer, as on most phones, shows a picture of the first page, made by a separate conversion.
 * Loaded from memory, because some browsers' viewers do not work under the content security policy of results.
 */
export function Paper({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  if (!isShowable(bytes)) return <Notice tone="plain">{t("text.tooLargeToShow")}</Notice>;
  return <Sheets address={address} name={name} />;
}

function Sheets({ address, name }: { address: string; name: string }) {
  const { pdfViewerEnabled } = navigator;
  const show = async (signal: AbortSignal): Promise<string> => {
    const pdf = new File([await (await ask(address, signal)).blob()], name, { type: "application/pdf" });
    return URL.createObjectURL(pdfViewerEnabled ? pdf : await derived(pdf, "png", signal));
  };
  const { value: url, error } = useLoaded(address, show, URL.revokeObjectURL);
  if (url === undefined) return <NotYet error={error} />;
  if (!pdfViewerEnabled) return <img class="preview preview-picture" src={url} alt={t("aria.firstPage", { name })} />;
  return <iframe class="preview-paper" src={`${url}#toolbar=0&navpanes=0&view=FitH`} title={t("aria.preview", { name })} />;
}
