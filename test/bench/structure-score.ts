import { execFile } from "node:child_process";
import { join } from "node:path";

export type Measure = "order" | "heads" | "levels" | "cells" | "lists" | "code" | "links" | "words";
export type Figures = Readonly<Partial<Record<Measure, number | null>>>;
export type Goals = Readonly<Partial<Record<Measure, number>>>;
/** For measures that miss their goals. */
export type Reasons = Readonly<Partial<Record<Measure, string>>>;

type Pair = readonly [truth: string, made: string];

/** The mean of each measure over pairs of Markdown files. */
export async function meansOf(pairs: readonly Pair[]): Promise<Figures> {
  const rows = await scoresOf(pairs);
  const names = Object.keys(rows[0] ?? {}) as Measure[];
  return Object.fromEntries(
    names.map((name) => {
      const figures = rows.flatMap((row) => row[name] ?? []);
      return [name, figures.length === 0 ? null : figures.reduce((sum, each) => sum + each, 0) / figures.length];
    }),
  );
}

export async function scoresOf(pairs: readonly Pair[]): Promise<readonly Figures[]> {
  const scorer = execFile("/usr/bin/python3", [join(import.meta.dirname, "structure-score.py")], { maxBuffer: 2 ** 26 });
  const said: string[] = [];
  scorer.stdout?.on("data", (text: string) => said.push(text));
  scorer.stdin?.end(pairs.map((pair) => `${pair.join("\t")}\n`).join(""));
  const code = await new Promise((resolve) => scorer.once("close", resolve));
  if (code !== 0) throw new Error("The scorer failed.");
  return said
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

export type Row = { readonly name: string; readonly figures: Figures };

const widths = { name: 24, figure: 7 };

/** A row for the goals and one for each program; below, the measures that the first one misses and why. */
export function tableOf(rows: readonly Row[], goals: Goals, reasons: Reasons = {}): string[] {
  const [own] = rows;
  const measures = Object.keys(own?.figures ?? {}) as Measure[];
  const lineOf = (name: string, cells: readonly string[]) =>
    name.padEnd(widths.name) + cells.map((cell) => cell.padStart(widths.figure)).join("");
  const shown = (figure: number | null | undefined) => (typeof figure === "number" ? figure.toFixed(3) : "-");
  const missed = measures.filter((name) => (own?.figures[name] ?? 1) < (goals[name] ?? 0));
  return [
    lineOf("", measures),
    lineOf(
      "goal",
      measures.map((name) => shown(goals[name])),
    ),
    ...rows.map(({ name, figures }) =>
      lineOf(
        name,
        measures.map((measure) => shown(figures[measure])),
      ),
    ),
    ...(missed.length === 0 ? ["met"] : missed.map((name) => `missed: ${name}: ${reasons[name] ?? "not looked into yet"}`)),
    "",
  ];
}
