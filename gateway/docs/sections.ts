/** Generates the calls in README.md and the tables in REFERENCE.md from the declarations that the program itself uses. */

import { errorTable } from "#contract/errors.ts";
import { curlBlock } from "#gateway/curl-line.ts";
import type { SettingTable } from "#kit/config.ts";
import { settingTable } from "#kit/settings.ts";
import { markdownTable } from "./markdown.ts";

/** Keyed by the name in the markers, such as `<!-- settings:begin -->`. */
export const sections: Readonly<Record<string, () => string>> = {
  calls: callsSection,
  settings: () => settingsSection(settingTable),
  errors: errorsSection,
};

/** Renews every section between its markers. Skips sections that have no markers in the text. */
export function renewSections(text: string, from: Readonly<Record<string, () => string>> = sections): string {
  return Object.entries(from).reduce((whole, [name, write]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [start, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (start === -1 || to < start) return whole;
    return `${whole.slice(0, start + begin.length)}\n${write()}\n${whole.slice(to)}`;
  }, text);
}

function callsSection(): string {
  const baseUrl = "http://127.0.0.1:8080";
  return [
    "```sh",
    "export FILEMILL_API_KEY=fm_…      # printed by the first start",
    "",
    "# a picture",
    curlBlock({ baseUrl, options: "quality=80" }),
    "",
    "# an office document",
    curlBlock({ baseUrl, to: "pdf", file: "report.docx", result: "report.pdf" }),
    "",
    "# a video: the same call waits as long as it takes",
    curlBlock({ baseUrl, to: "webm", file: "clip.mp4", result: "clip.webm" }),
    "```",
  ].join("\n");
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
