/** The commands that work without a server, a broker or a key. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { allPackages, missingPackages } from "#gateway/setup/system-packages.mjs";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

type ConvertFlags = { readonly opt: Readonly<Record<string, string>>; readonly from?: string; readonly to?: string };

export function addConvertCommand(program: Command, shell: Shell): void {
  program
    .command("convert")
    .description("convert one file; needs no running service")
    .argument("<in>", "the file to convert")
    .argument("<out>", "where the result goes; its extension tells the format")
    .option("--opt <name=value>", "an option of the route, as in the API; may be given several times", addOption, {})
    .option("--from <format>", "the format of the input, where its content should not decide")
    .option("--to <format>", "the format of the output, where its name should not decide")
    .action(async (input: string, output: string, { opt, from, to }: ConvertFlags) => {
      await using library = await shell.openLibrary();
      const { notes } = await library.convert({
        inputPath: resolve(shell.callerFolder, input),
        outputPath: resolve(shell.callerFolder, output),
        options: opt,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      });
      for (const { code, message } of notes) shell.err(`${code}: ${message}`);
    });
}

function addOption(pair: string, options: Readonly<Record<string, string>>): Record<string, string> {
  const at = pair.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Write it as name=value.");
  return { ...options, [pair.slice(0, at)]: pair.slice(at + 1) };
}

export function addDoctorCommand(program: Command, shell: Shell): void {
  program
    .command("doctor")
    .description("which engines this machine has, and what to install for the rest")
    .action(async () => {
      await using library = await shell.openLibrary();
      const engines = await library.engines();
      const rows = engines.map(({ label, version, hops, packages }) => [
        label,
        version ?? "not found",
        version === undefined ? "0" : String(hops.length),
        version === undefined ? packages.join(" ") || "npm ci" : "-",
      ]);
      shell.out(tableOf(["ENGINE", "VERSION", "CONVERSIONS", "TO INSTALL"], rows));
      const missing = missingPackages(allPackages);
      for (const row of missing) shell.out(`missing: ${row.package} (${row.for})`);
      const names = missing.map((row) => row.package).join(" ");
      if (missing.length > 0) {
        shell.out(`On Debian: sudo apt-get install -y --no-install-recommends ${names}`);
        shell.out("Or let `npm start -- --all-engines` install them.");
      }
    });
}
