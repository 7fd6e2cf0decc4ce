import { useEffect, useState } from "preact/hooks";
import { isShowable } from "#client/convert/names.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";
import { type Book, bookOf } from "./book.ts";
import { derived } from "./derived.ts";
import { beginningOf, Grid, rowsOf } from "./text.tsx";

/** Limit for data that a page reads at once. For a larger workbook, only the beginning of the first sheet is shown. */
const MAX_BYTES = 20_000_000;

/** The first rows of each sheet of a workbook, which a separate conversion turns into data. */
export function Sheets({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  const [book, setBook] = useState<Book | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!isShowable(bytes)) return;
    const stop = new AbortController();
    const show = async (): Promise<void> => {
      const file = new File([await (await ask(address, stop.signal)).blob()], name);
      const data = await derived(file, "json", stop.signal, { header: "false", indent: "0" });
      if (data.size <= MAX_BYTES) return setBook(bookOf(await data.text()));
      const table = await derived(file, "csv", stop.signal);
      setBook([{ name: "", rows: rowsOf((await beginningOf(new Response(table))).text) }]);
    };
    show().catch((problem: unknown) => {
      if (!stop.signal.aborted) setError(problem);
    });
    return () => stop.abort();
  }, [address]);
  if (!isShowable(bytes)) return <Notice tone="plain">{t("text.tooLargeToShow")}</Notice>;
  if (error !== undefined) return <Notice tone="bad">{messageOf(error)}</Notice>;
  if (book === undefined) return <p class="quiet">{t("text.loadingPreview")}</p>;
  return <OneOf book={book} name={name} />;
}

function OneOf({ book, name }: { book: Book; name: string }) {
  const [place, setPlace] = useState(0);
  const { rows = [] } = book[place] ?? {};
  return (
    <div class="shown">
      {book.length > 1 && (
        <label class="sheet-choice">
          {t("option.sheet")}
          <select value={place} onChange={({ currentTarget }) => setPlace(Number(currentTarget.value))}>
            {book.map((sheet, index) => (
              <option key={index} value={index}>
                {sheet.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {rows.length === 0 ? <p class="quiet">{t("text.emptySheet")}</p> : <Grid key={place} rows={rows} name={name} />}
    </div>
  );
}
