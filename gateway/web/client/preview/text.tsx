import { parse } from "papaparse";
import { Copy } from "#client/parts/copy.tsx";
import { t } from "#client/parts/language.tsx";
import { ask } from "./ask.ts";
import { NotYet, useLoaded } from "./loaded.tsx";

/** Enough to recognise the content. */
const MAX_BYTES = 64_000;
/** Limit for copying to the clipboard. */
const MAX_COPIED_BYTES = 5_000_000;
const MAX_ROWS = 50;
const MAX_COLUMNS = 30;

type Beginning = { readonly text: string; readonly isWhole: boolean };

/** The beginning of a text, or the first rows of a table. */
export function Letters({ address, name, bytes, isTable }: { address: string; name: string; bytes: number; isTable: boolean }) {
  const { value: beginning, error } = useLoaded(address, async (signal) => beginningOf(await ask(address, signal)));
  if (beginning === undefined) return <NotYet error={error} />;
  return (
    <div class="shown">
      {isTable ? <Grid rows={rowsOf(beginning.text)} name={name} /> : <Page beginning={beginning} name={name} />}
      {navigator.clipboard !== undefined && bytes <= MAX_COPIED_BYTES && <Copy label={t("do.copyText")} copy={() => copyText(address)} />}
    </div>
  );
}

function Page({ beginning: { text, isWhole }, name }: { beginning: Beginning; name: string }) {
  return (
    <>
      {!isWhole && <p class="quiet">{t("text.firstPart")}</p>}
      <section class="preview-text" aria-label={t("aria.preview", { name })}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre tabIndex={0}>{text}</pre>
      </section>
    </>
  );
}

/** The rows of a table that are shown. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return parse<string[]>(text, { preview: MAX_ROWS, skipEmptyLines: true }).data;
}

export function Grid({ rows, name }: { rows: readonly (readonly string[])[]; name: string }) {
  const [head = [], ...rest] = rows.slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS));
  return (
    <>
      <p class="quiet">{t("text.firstRows", { n: rest.length + 1 })}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="preview-grid" aria-label={t("aria.table", { name })} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th key={column} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rest.map((row, place) => (
              <tr key={place}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Reads only the beginning. A character cut in two at its end is dropped. */
export async function beginningOf({ body }: Response): Promise<Beginning> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const part = await reader?.read();
    if (part?.value === undefined) return { text: text + decoder.decode(), isWhole: true };
    const room = MAX_BYTES - bytes;
    text += decoder.decode(part.value.subarray(0, room), { stream: true });
    bytes += part.value.length;
    if (bytes > MAX_BYTES) {
      await reader?.cancel();
      return { text, isWhole: false };
    }
  }
}

async function copyText(address: string): Promise<void> {
  await navigator.clipboard.writeText(await (await ask(address)).text());
}
