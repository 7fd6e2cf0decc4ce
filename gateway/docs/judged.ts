/** Generates the verdicts of other programs in FORMATS.md from the results of `npm run prove -- --judge`. */
import { engines } from "#services/conversion/engines/registry.ts";
import { markdownTable } from "./markdown.ts";

export type Judgements = {
  /** Versions by judge id. */
  readonly judges: Readonly<Record<string, string>>;
  readonly results: readonly {
    readonly from: string;
    readonly to: string;
    readonly engine: string;
    readonly judge: string;
    /** Why the judge refused the result; empty if it accepted it. */
    readonly said: string;
  }[];
};

const listed = (values: Iterable<string>): string => [...new Set(values)].sort().join(" ");

/** Sections for `renewSections` of FORMATS.md. */
export function judgedSectionsOf({ judges, results }: Judgements): Readonly<Record<string, () => string>> {
  const label = (id: string) => engines.find((engine) => engine.id === id)?.label ?? id;
  return {
    judges() {
      const rows = [...Map.groupBy(results, ({ judge }) => judge)].sort().map(([judge, some]) => {
        const refused = some.filter(({ said }) => said !== "").length;
        return [judge, judges[judge] ?? "", listed(some.map(({ to }) => to)), String(some.length), String(refused)];
      });
      return markdownTable(["Judge", "Version", "Formats", "Results judged", "Refused"], rows);
    },
    refused() {
      const refused = results.filter(({ said }) => said !== "");
      const groups = [...Map.groupBy(refused, ({ to, engine, judge }) => `${to} ${engine} ${judge}`).values()];
      const rows = groups.flatMap((some) => {
        const [first] = some;
        if (first === undefined) return [];
        const reason = first.said.replaceAll("<", "&lt;").replaceAll("|", "\\|");
        return [[first.to, label(first.engine), listed(some.map(({ from }) => from)), first.judge, reason]];
      });
      return rows.length === 0 ? "Nothing." : markdownTable(["Target", "Engine", "From", "Judge", "What it says of one of them"], rows);
    },
  };
}
