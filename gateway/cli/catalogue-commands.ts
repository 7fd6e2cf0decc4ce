import type { Command } from "commander";
import { listedOf } from "#gateway/rest/catalogue-view.ts";
import { FilemillError } from "#kit/errors.ts";
import { askService } from "./connection.ts";
import type { Listed } from "./library.ts";
import { openRemote } from "./remote.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

export function addFormatsCommand(program: Command, shell: Shell): void {
  withServer(program.command("formats"))
    .description("formats and conversions of a server, or of the service running here")
    .argument("[from]", "list the conversions from this format")
    .option("--json", "print it for programs")
    .action(async (from: string | undefined, flags: ServerFlags & { readonly json?: true }) => {
      const server = serverAddressOf(flags, shell);
      const { formats, conversions } = await (server === undefined ? listedHere(shell) : openRemote(server).formats());
      const conversionsFrom = (id: string) => conversions.filter((conversion) => conversion.from === id);
      if (from !== undefined && !formats.some(({ id }) => id === from))
        throw new FilemillError("UNSUPPORTED_CONVERSION", `There is no format "${from}"; \`filemill formats\` lists them.`);
      if (flags.json === true) return shell.out(JSON.stringify(from === undefined ? formats : conversionsFrom(from), null, 2));
      if (from === undefined) {
        const rows = formats.map(({ id, kind, label }) => [id, kind, String(conversionsFrom(id).length), label]);
        return shell.out(tableOf(["FORMAT", "KIND", "CONVERSIONS", "NAME"], rows));
      }
      const rows = conversionsFrom(from).map(({ to, fidelity, async, maxInputMb, options }) => [
        to,
        fidelity,
        async ? "queued" : "inline",
        `${maxInputMb} MB`,
        options.map(({ name }) => name).join(",") || "-",
      ]);
      shell.out(tableOf(["TO", "FIDELITY", "ANSWER", "CEILING", "OPTIONS"], rows));
    });
}

async function listedHere(shell: Shell): Promise<Listed> {
  return listedOf(await askService(shell, (peers) => peers.catalogue.getCatalogue({})));
}
