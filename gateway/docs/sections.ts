/** The README's tables, from the declarations that the program itself follows. */
import { type FormatRow, formatOf, kinds } from "#formats/index.ts";
import type { SettingTable } from "#kit/config.ts";
import { errorTable } from "#kit/errors.ts";
import { settingTable } from "#kit/settings.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { markdownTable } from "./markdown.ts";

/** By the name between the markers, for example `<!-- settings:begin -->`. */
export const sections: Readonly<Record<string, () => string>> = {
  settings: () => settingsSection(settingTable),
  errors: errorsSection,
  formats: formatsSection,
};

/** The text with every section between its markers renewed; sections without markers are left out. */
export function renewSections(text: string, from: Readonly<Record<string, () => string>> = sections): string {
  return Object.entries(from).reduce((whole, [name, write]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [start, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (start === -1 || to < start) return whole;
    return `${whole.slice(0, start + begin.length)}\n${write()}\n${whole.slice(to)}`;
  }, text);
}

function settingsSection(table: SettingTable): string {
  const rows = Object.entries(table).map(([name, setting]) => [
    `\`${name}\``,
    setting.default === undefined ? "" : `\`${setting.default}\``,
    setting.accepts === "text" ? "" : setting.accepts,
    setting.help,
  ]);
  return markdownTable(["Name", "Default", "Accepts", "What it does"], rows);
}

function errorsSection(): string {
  const rows = Object.entries(errorTable)
    .sort(([, a], [, b]) => a.http - b.http)
    .map(([code, { http, when }]) => [String(http), `\`${code}\``, when]);
  return markdownTable(["Status", "Code", "When"], rows);
}

/** What the engines do in one step; the planner joins up to three of them. */
function formatsSection(): string {
  const hops = engines.flatMap((engine) => engine.hops);
  const rows = kinds.flatMap((kind) => {
    const reads = idsOf(
      hops.map(({ from }) => from),
      kind,
    );
    const writes = idsOf(
      hops.map(({ to }) => to),
      kind,
    );
    return reads === "" && writes === "" ? [] : [[kind, reads, writes]];
  });
  return markdownTable(["Kind", "Reads", "Writes"], rows);
}

function idsOf(ids: readonly string[], kind: FormatRow["kind"]): string {
  return [...new Set(ids)]
    .filter((id) => formatOf(id)?.kind === kind)
    .sort()
    .join(" ");
}
