import { useState } from "preact/hooks";
import { isShowable } from "#client/convert/names.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { ask } from "./ask.ts";
import { type Book, bookOf } from "./book.ts";
import { derived } from "./derived.ts";
import { NotYet, useLoaded } from "./loaded.tsx";
import { beginningOf, Grid, rowsOf } from "./text.tsx";

/** Limit for data that a page reads at once. For a larger workbook, only the beginning of the first sheet is shown. */
const MAX_BYTES = 20_000_000;

/** The first rows of each sheet of a workbook, which a separate conversion turns into data. */
export function Sheets({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  if (!isShowable(bytes)) return <Notice tone="plain">{t("text.tooLargeToShow")}</Notice>;
  return <Workbook address={address} name={name} />;
}

function Workbook({ address, name }: { address: string; name: string }) {
  const { value: book, error } = useLoaded<Book>(address, async (signal) => {
    const file = new File([await (await ask(address, signal)).blob()], name);
    const data = await derived(file, "json", signal, { header: "false", indent: "0" });
    if (data.size <= MAX_BYTES) return bookOf(await data.text());
    const table = await derived(file, "csv", signal);
    return [{ name: "", rows: rowsOf((await beginningOf(new Response(table))).text) }];
  });
  if (book === undefined) return <NotYet error={error} />;
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
