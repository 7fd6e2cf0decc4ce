/** Generates the table of attacks in SECURITY.md from the results of the attack suite's last successful run. */
import { markdownTable } from "./markdown.ts";

export type AttackResult = {
  readonly id: string;
  /** The engine that is attacked. `front`: what runs before any engine. `door`: the gateway. */
  readonly engine: string;
  readonly what: string;
  /** Target formats, separated by spaces. */
  readonly to: string;
  readonly outcome: string;
};

const outcomes: Readonly<Record<string, string>> = {
  converts: "converts, but gets nothing that it reached for",
  "is bounded": "ends within its time and memory limits",
  "is quick": "costs the main process at most two seconds more than a harmless file",
};

/** Sections for `renewSections`. */
export function attackSectionsOf(results: readonly AttackResult[]): Readonly<Record<string, () => string>> {
  const [inFront, others] = [results.filter(({ engine }) => engine === "front"), results.filter(({ engine }) => engine !== "front")];
  return {
    front: () =>
      markdownTable(
        ["Attack", "What it is", "Outcome"],
        inFront.map(({ id, what, outcome }) => [id, what, outcomes[outcome] ?? outcome]),
      ),
    attacks: () => {
      const rows = others.map(({ id, engine, what, to, outcome }) => [id, what, engine, to, outcomes[outcome] ?? `\`${outcome}\``]);
      return markdownTable(["Attack", "What it is", "Aims at", "Targets tried", "Outcome"], rows);
    },
    engines: () => markdownTable(["Class", ...enginesOf(others)], classRowsOf(others)),
  };
}

function enginesOf(results: readonly AttackResult[]): string[] {
  return [...new Set(results.map(({ engine }) => engine))];
}

/** Number of attacks per class and engine. */
function classRowsOf(results: readonly AttackResult[]): string[][] {
  const classOf = ({ id }: AttackResult): string => id.split("-")[0] ?? id;
  return [...new Set(results.map(classOf))].map((name) => {
    const ofClass = results.filter((result) => classOf(result) === name);
    const counts = enginesOf(results).map((engine) => ofClass.filter((result) => result.engine === engine));
    return [name, ...counts.map((some) => (some.length === 0 ? "" : `${some.length} held`))];
  });
}
