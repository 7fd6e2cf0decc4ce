/** Generates FORMATS.md and the README's table of formats from the proof file and the engines' declarations. */
import { create } from "@bufbuild/protobuf";
import { type FormatRow, formatOf, kinds } from "#formats/index.ts";
import { ManifestSchema, type Route } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { figureTable } from "#services/catalogue/domain/fidelity-rule.ts";
import { enginesOfPath, keyOf, type ProofFile, type ProofRow, proofOf } from "#services/catalogue/domain/proof.ts";
import { engineManifestOf } from "#services/conversion/domain/manifest.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { markdownTable } from "./markdown.ts";

type Kind = FormatRow["kind"];

/** The routes listed on a machine that has the proven version of every engine; the declared routes if there are no proofs yet. */
export function provenRoutes(file: ProofFile): readonly Route[] {
  const isProven = file.rows.length > 0;
  const proven = engines.filter(({ id }) => !isProven || file.engines.has(id));
  const manifest = create(ManifestSchema, {
    node: "docs",
    engines: proven.map((engine) => engineManifestOf(engine, file.engines.get(engine.id) ?? "")),
  });
  return catalogueOf([manifest], isProven ? proofOf([file]) : undefined).list().routes;
}

/** Sections for `renewSections` of the README. */
export function provenSectionsOf(routes: readonly Route[]): Readonly<Record<string, () => string>> {
  return {
    formats() {
      const rows = kinds.flatMap((kind) => {
        const [reads, writes] = [idsOf(routes, "from", kind), idsOf(routes, "to", kind)];
        return reads.length + writes.length === 0 ? [] : [[kind, reads.join(" "), writes.join(" ")]];
      });
      return markdownTable(["Kind", "Reads", "Writes"], rows);
    },
  };
}

/** Sections for `renewSections` of FORMATS.md. */
export function formatPageSectionsOf(file: ProofFile, routes: readonly Route[]): Readonly<Record<string, () => string>> {
  const rows = new Map(file.rows.map((row) => [keyOf(row), row]));
  const proofs = routes.flatMap((route) => rows.get(keyOf({ ...route, path: pathOfRoute(route) })) ?? []);
  return {
    counts: () => countsOf(routes),
    rule: ruleTable,
    engines: () => engineTable(file),
    pairs: () => pairTable(proofs),
    own: () => ownTable(proofs),
    layout: () => layoutTable(file.rows),
    self: () => selfRead(proofs),
    targets: () => kinds.flatMap((kind) => targetTable(kind, routes)).join("\n\n"),
  };
}

function pathOfRoute({ engines: used, via }: Route): string {
  return used.map((engine, index) => (index < via.length ? `${engine} ${via[index]}` : engine)).join(" ");
}

function idsOf(routes: readonly Route[], end: "from" | "to", kind: Kind): readonly string[] {
  return [...new Set(routes.map((route) => route[end]))].filter((id) => formatOf(id)?.kind === kind).sort();
}

function countsOf(routes: readonly Route[]): string {
  const formats = new Set(routes.flatMap(({ from, to }) => [from, to]));
  const kindsOf = new Set([...formats].flatMap((id) => formatOf(id)?.kind ?? []));
  const direct = routes.filter(({ via }) => via.length === 0).length;
  return `${routes.length} routes between ${formats.size} formats of ${kindsOf.size} kinds; ${direct} in one step, ${routes.length - direct} in two or three.`;
}

function ruleTable(): string {
  const rows = Object.entries(figureTable).map(([name, limits]) => {
    const sign = limits.better === "higher" ? "≥" : "≤";
    const limit = (value: number | undefined) =>
      value === undefined || (value > 1.5 && limits.help.startsWith("1 when")) ? "" : `${sign} ${value}`;
    const { lossless, high, reduced }: { lossless?: number; high?: number; reduced: number } = limits;
    return [`\`${name}\``, limits.help, limit(lossless), limit(high), limit(reduced)];
  });
  return markdownTable(["Figure", "What it is", "lossless", "high", "reduced"], rows);
}

function engineTable(file: ProofFile): string {
  const rows = engines.flatMap(({ id, label }) => {
    const version = file.engines.get(id);
    if (version === undefined) return [];
    const own = file.rows.filter(({ path }) => path === id);
    return [
      [
        label,
        version,
        String(own.filter(({ word }) => word !== "failed").length),
        String(own.filter(({ word }) => word === "failed").length),
      ],
    ];
  });
  return markdownTable(["Engine", "Version", "Steps proven", "Steps that failed, not listed"], rows);
}

/** Medians of the figures over all routes from one kind to another. */
function pairTable(proofs: readonly ProofRow[]): string {
  const kindOf = (id: string) => formatOf(id)?.kind ?? "";
  const groups = [...Map.groupBy(proofs, ({ from, to }) => `${kindOf(from)} → ${kindOf(to)}`)].sort(([, a], [, b]) => b.length - a.length);
  const rows = groups.map(([pair, some]) => {
    const names = [...new Set(some.flatMap(({ figures }) => Object.keys(figures)))];
    const medians = names.map((name) => {
      const values = some.flatMap(({ figures }) => Object.entries(figures).flatMap(([each, value]) => (each === name ? [value] : [])));
      return `${name} ${Number(medianOf(values).toPrecision(3))}`;
    });
    return [pair, String(some.length), medians.join(", "), `${medianOf(some.map(({ ms }) => ms))} ms`];
  });
  return markdownTable(["From → to", "Routes", "Median of the figures", "Median time"], rows);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Conversions from a format to itself, with default options. */
function ownTable(proofs: readonly ProofRow[]): string {
  const rows = proofs
    .filter(({ from, to }) => from === to)
    .map(({ from, path, word, figures, reader }) => {
      const engine = engines.find(({ id }) => id === path);
      const options = engine?.hops.find((hop) => hop.from === from && hop.to === from)?.options ?? [];
      const measured = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
      const changes = options.map(({ name }) => `\`${name}\``).join(" ");
      return [`\`${from}\``, engine?.label ?? path, word, measured.join(", "), reader, changes];
    });
  return rows.length === 0 ? "None." : markdownTable(["Format", "Engine", "Without options", "Figures", "Read by", "Options"], rows);
}

/** Steps to PDF whose source has a document with a known layout, including steps that no route uses. */
function layoutTable(all: readonly ProofRow[]): string {
  const rows = all.flatMap(({ from, to, path, word, figures: { moved, breaks, fonts } }) => {
    if (moved === undefined || breaks === undefined || fonts === undefined) return [];
    const engine = engines.find(({ id }) => id === path);
    const share = (value: number) => `${Number((value * 100).toPrecision(3))} %`;
    return [[`\`${from}\` → \`${to}\``, engine?.label ?? path, `${moved} pt`, share(breaks), share(fonts), word]];
  });
  return rows.length === 0
    ? "None."
    : markdownTable(["Conversion", "Engine", "Shift of words (p95)", "On their page", "Fonts kept", "Word"], rows);
}

function selfRead(proofs: readonly ProofRow[]): string {
  const self = proofs.filter(({ reader }) => reader === "self");
  const rows = [...Map.groupBy(self, ({ path }) => enginesOfPath(path).at(-1) ?? "")].map(([engine, some]) => [
    engine,
    [...new Set(some.map(({ to }) => to))].sort().join(" "),
    String(some.length),
  ]);
  return rows.length === 0 ? "None." : markdownTable(["Engine", "Formats", "Routes"], rows);
}

const words = [Fidelity.LOSSLESS, Fidelity.HIGH, Fidelity.REDUCED, Fidelity.EXTRACT] as const;

function targetTable(kind: Kind, routes: readonly Route[]): string[] {
  const sources = idsOf(routes, "from", kind);
  if (sources.length === 0) return [];
  const rows = sources.map((id) => {
    const own = routes.filter(({ from }) => from === id);
    const targets = words.map((word) =>
      own
        .filter(({ fidelity }) => fidelity === word)
        .map(({ to }) => to)
        .join(" "),
    );
    return [`\`${id}\``, formatOf(id)?.label ?? "", ...targets];
  });
  return [`### From ${kind}\n\n${markdownTable(["Source", "Format", "lossless", "high", "reduced", "extract"], rows)}`];
}
