import { useEffect, useState } from "preact/hooks";
import { isShowable } from "#client/convert/names.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";
import { derived } from "./derived.ts";
import { beginningOf, Grid } from "./text.tsx";

/** The first rows of a workbook, which comes back as a table by a conversion of its own. */
export function Sheets({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  const [text, setText] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!isShowable(bytes)) return;
    const stop = new AbortController();
    const show = async (): Promise<void> => {
      const book = await (await ask(address, stop.signal)).blob();
      const table = await derived(new File([book], name), "csv", stop.signal);
      setText((await beginningOf(new Response(table))).text);
    };
    show().catch((problem: unknown) => {
      if (!stop.signal.aborted) setError(problem);
    });
    return () => stop.abort();
  }, [address]);
  if (!isShowable(bytes)) return <Notice tone="plain">{t("text.tooLargeToShow")}</Notice>;
  if (error !== undefined) return <Notice tone="bad">{messageOf(error)}</Notice>;
  if (text === undefined) return <p class="quiet">{t("text.loadingPreview")}</p>;
  return <Grid text={text} name={name} />;
}
