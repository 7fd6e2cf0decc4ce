/** The README's tables, from the declarations that the program itself follows. */
import type { SettingTable } from "#kit/config.ts";
import { errorTable } from "#kit/errors.ts";
import { settingTable } from "#kit/settings.ts";
import { markdownTable } from "./markdown.ts";

/** By the name between the markers, for example `<!-- settings:begin -->`. */
export const sections: Readonly<Record<string, () => string>> = {
  settings: () => settingsSection(settingTable),
  errors: errorsSection,
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
