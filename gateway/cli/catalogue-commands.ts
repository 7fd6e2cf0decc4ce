import type { Command } from "commander";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { askService } from "./connection.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

export function addFormatsCommand(program: Command, shell: Shell): void {
  program
    .command("formats")
    .description("formats and routes of the running service")
    .argument("[from]", "list the routes from this format")
    .action(async (from: string | undefined) => {
      const { formats, routes, optionSets } = await askService(shell, (peers) => peers.catalogue.getCatalogue({}));
      const routesFrom = (id: string) => routes.filter((route) => route.from === id);
      if (from === undefined) {
        const rows = formats.map(({ id, kind, label }) => [id, kind, String(routesFrom(id).length), label]);
        return shell.out(tableOf(["FORMAT", "KIND", "ROUTES", "NAME"], rows));
      }
      const rows = routesFrom(from).map((route) => [
        route.to,
        fidelityOf(route.fidelity),
        route.async ? "queued" : "inline",
        `${route.maxInputMb} MB`,
        (optionSets[route.optionSet]?.options ?? []).map(({ name }) => name).join(",") || "-",
      ]);
      shell.out(tableOf(["TO", "FIDELITY", "ANSWER", "CEILING", "OPTIONS"], rows));
    });
}

function fidelityOf(value: number): string {
  const name = Object.entries(Fidelity).find(([, number]) => number === value)?.[0];
  return name?.toLowerCase() ?? "?";
}
