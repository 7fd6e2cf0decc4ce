import { resolve } from "node:path";
import type { Command } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { formats as knownFormats, parseFormatId } from "#formats/index.ts";
import type { ConversionView, OptionView } from "#gateway/mcp/workbench.ts";
import { didYouMean, nearestIds } from "#kit/nearest-names.ts";
import { askService } from "./ask-service.ts";
import type { Listed } from "./library.ts";
import { openConversions } from "./open-conversions.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

const asJson = "print JSON for programs";
type Flags = ServerFlags & { readonly json?: true };

export function addCatalogueCommands(program: Command, shell: Shell): void {
  withServer(program.command("formats"))
    .description("list formats and conversions: of a server, of the service running here, or of this machine")
    .argument("[from]", "list the conversions from this format")
    .option("--json", asJson)
    .action(async (from: string | undefined, flags: Flags) => {
      const id = from === undefined ? undefined : idOf(from);
      const listed = await listedBy(flags, shell);
      const found = id === undefined ? [] : conversionsFrom(listed, id);
      if (flags.json === true) return shell.out(JSON.stringify(id === undefined ? listed.formats : found, null, 2));
      shell.out(id === undefined ? formatTable(listed) : conversionTable(found));
    });
  withServer(program.command("routes"))
    .description("show one conversion: its steps, options, and the notes to expect")
    .argument("<from>")
    .argument("<to>")
    .option("--json", asJson)
    .action(async (from: string, to: string, flags: Flags) => {
      const pair = [idOf(from), idOf(to)] as const;
      await using conversions = await openConversions(serverAddressOf(flags, shell), shell);
      const route = await conversions.route(...pair);
      if (flags.json === true) return shell.out(JSON.stringify(route, null, 2));
      shell.out(`${route.from} -> ${route.to}: ${route.fidelity}, up to ${route.maxInputMb} MB`);
      for (const { engine, from, to } of route.hops) shell.out(`  step: ${from} -> ${to} by ${engine}`);
      for (const { code, message } of route.expectedNotes) shell.out(`  expect: ${code}: ${message}`);
      if (route.options.length > 0) shell.out(tableOf(["OPTION", "VALUES", "DEFAULT", "WHAT IT DOES"], route.options.map(optionRow)));
    });
}

/** Works on this machine only, because its engines read the file. */
export function addInspectCommand(program: Command, shell: Shell): void {
  program
    .command("inspect")
    .description("detect a file's format by its content, and list what it can become")
    .argument("<file>")
    .option("--json", asJson)
    .action(async (file: string, { json }: Flags) => {
      await using library = await shell.openLibrary();
      const { format, nameDisagrees } = await library.tell(resolve(shell.callerFolder, file));
      if (format === undefined)
        throw new FilemillError("UNKNOWN_SOURCE_FORMAT", "The file's format cannot be told from its content or name.");
      const listed = await library.formats();
      const found = conversionsFrom(listed, format);
      const label = parseFormatId(format)?.label ?? format;
      if (json === true) return shell.out(JSON.stringify({ format, label, nameDisagrees, conversions: found }, null, 2));
      shell.out(`${file}: ${label} (${format})${nameDisagrees ? ", although its name says otherwise" : ""}`);
      shell.out(found.length === 0 ? "It cannot be converted here." : conversionTable(found));
    });
}

function idOf(text: string): string {
  const format = parseFormatId(text);
  if (format !== undefined) return format.id;
  const near = didYouMean(nearestIds(text, knownFormats), "; `filemill formats` lists them all.");
  throw new FilemillError("UNSUPPORTED_CONVERSION", `There is no format "${text}"${near}`);
}

/** Formats of a server if one is named, otherwise of the service running here, which answers fastest, otherwise of this machine. */
async function listedBy(flags: ServerFlags, shell: Shell): Promise<Listed> {
  const server = serverAddressOf(flags, shell);
  if (server === undefined) {
    const { listedOf } = await import("#gateway/exchange/catalogue-view.ts");
    const here = await askService(shell, (peers) => peers.catalogue.getCatalogue({})).catch((error: unknown) => {
      if (error instanceof FilemillError && error.code === "UNAVAILABLE") return undefined;
      throw error;
    });
    if (here !== undefined) return listedOf(here);
  }
  await using conversions = await openConversions(server, shell);
  return await conversions.formats();
}

function conversionsFrom({ conversions }: Listed, id: string): readonly ConversionView[] {
  return conversions.filter((conversion) => conversion.from === id);
}

function formatTable(listed: Listed): string {
  const counts = new Map<string, number>();
  for (const { from } of listed.conversions) counts.set(from, (counts.get(from) ?? 0) + 1);
  const rows = listed.formats.map(({ id, kind, label }) => [id, kind, String(counts.get(id) ?? 0), label]);
  return tableOf(["FORMAT", "KIND", "CONVERSIONS", "NAME"], rows);
}

function conversionTable(conversions: readonly ConversionView[]): string {
  const rows = conversions.map(({ to, fidelity, async, maxInputMb, options }) => [
    to,
    fidelity,
    async ? "queued" : "inline",
    `${maxInputMb} MB`,
    options.map(({ name }) => name).join(",") || "-",
  ]);
  return tableOf(["TO", "FIDELITY", "ANSWER", "LIMIT", "OPTIONS"], rows);
}

function optionRow({ name, type, default: preset, description, min, max, values, unit }: OptionView): string[] {
  const range = values?.join("|") ?? (min === undefined && max === undefined ? type : `${min ?? ""}..${max ?? ""}`);
  return [name, unit === undefined ? range : `${range} ${unit}`, preset === null ? "-" : String(preset), description];
}
