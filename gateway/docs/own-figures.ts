/** Generates the figures of conversions from a format to itself in FORMATS.md from the results of `npm run prove -- --own`. */
import { markdownTable } from "./markdown.ts";

export type OwnFigure = {
  readonly format: string;
  /** Description of the source, for people. */
  readonly source: string;
  readonly options: Readonly<Record<string, string>>;
  readonly engine: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** One value, or the values before and after. */
  readonly figures: Readonly<Record<string, number | readonly [before: number, after: number]>>;
  /** The program that measured the figures. */
  readonly reader: string;
  /** Why this is not a proof; empty if it is one. */
  readonly failure: string;
};

/** Sections for `renewSections` of FORMATS.md. */
export function ownFigureSectionsOf(rows: readonly OwnFigure[]): Readonly<Record<string, () => string>> {
  return {
    asked() {
      const cells = rows.map(({ format, source, options, bytesBefore, bytesAfter, figures, reader, failure }) => {
        const asked = Object.entries(options).map(([name, value]) => `\`${name}=${value}\``);
        const measured = Object.entries(figures).map(([name, value]) => `${name} ${typeof value === "number" ? value : value.join(" → ")}`);
        const told = [...(failure === "" ? [] : [`failed: ${failure}`]), ...measured].join(", ");
        return [`\`${format}\``, source, asked.join(" "), sizesOf(bytesBefore, bytesAfter), told, reader];
      });
      return markdownTable(["Format", "Source", "Asked", "Size before → after", "Figures", "Read by"], cells);
    },
  };
}

function sizesOf(before: number, after: number): string {
  return `${kb(before)} → ${kb(after)} kB (${Number(((100 * after) / Math.max(1, before)).toPrecision(2))} %)`;
}

function kb(bytes: number): number {
  return Number((bytes / 1000).toPrecision(3));
}
