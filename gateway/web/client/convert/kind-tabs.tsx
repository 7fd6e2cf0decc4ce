import { useId } from "preact/hooks";
import { t, textOf } from "#client/parts/language.tsx";

/** Fewer formats than this are seen at a glance. */
const minRows = 12;

type Row = { readonly id: string; readonly format: { readonly kind: string } | undefined };

/** The kinds in a list, in its order. Empty if tabs would not help. */
export function kindsOf(rows: readonly Row[]): readonly string[] {
  const kinds = [...new Set(rows.flatMap(({ format }) => (format === undefined ? [] : [format.kind])))];
  return rows.length < minRows || kinds.length < 2 ? [] : kinds;
}

/** The rows of a kind, each once. */
export function rowsOf<R extends Row>(rows: readonly R[], kind: string): readonly R[] {
  return [...new Map(rows.filter(({ format }) => format?.kind === kind).map((row) => [row.id, row])).values()];
}

export function kindText(kind: string): string {
  return textOf(`kind.${kind}`) ?? kind;
}

type KindTabsProps = { kinds: readonly string[]; chosen: string | undefined; onChoose(kind: string | undefined): void };

/** Radio buttons that look like tabs, so that the browser handles their keys and names. */
export function KindTabs({ kinds, chosen, onChoose }: KindTabsProps) {
  const name = useId();
  const tab = (kind: string | undefined) => (
    <label key={kind ?? ""} class="kind-tab">
      <input class="sr-only" type="radio" name={name} checked={kind === chosen} onChange={() => onChoose(kind)} />
      {kind === undefined ? t("kind.all") : kindText(kind)}
    </label>
  );
  return (
    <fieldset class="kind-tabs">
      <legend class="sr-only">{t("aria.kinds")}</legend>
      {[undefined, ...kinds].map(tab)}
    </fieldset>
  );
}
