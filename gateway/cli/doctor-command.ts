/** Reports what this machine can do, without a server, a broker or a key. */
import type { Command } from "commander";
import { allPackages, missingPackages } from "#gateway/setup/system-packages.mjs";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

export function addDoctorCommand(program: Command, shell: Shell): void {
  program
    .command("doctor")
    .description("check the sandbox and the engines of this machine, and show what to install")
    .action(async () => {
      await using library = await shell.openLibrary({ attacksAnyway: true });
      const engines = await library.engines();
      const rows = engines.map(({ label, version, proven, packages, isWithheld }) => [
        label,
        version ?? (isWithheld ? "withheld" : "not found"),
        version === undefined ? "0" : String(proven),
        version === undefined && !isWithheld ? packages.join(" ") || "npm ci" : "-",
      ]);
      shell.out(tableOf(["ENGINE", "VERSION", "CONVERSIONS", "TO INSTALL"], rows));
      const withheld = engines.filter(({ isWithheld }) => isWithheld).map(({ label }) => label);
      if (withheld.length > 0)
        shell.out(`Not offered without namespaces: ${withheld.join(", ")}. They need sockets, which the weaker sandbox cannot confine.`);
      const unproven = engines.filter(({ version, proven }) => version !== undefined && proven === 0);
      for (const { label, version } of unproven) shell.out(`not proven with this version: ${label} ${version}`);
      if (unproven.length > 0) shell.out("While Filemill runs, it proves them in the background; `npm run prove -- --local` does it now.");
      const missing = missingPackages(allPackages);
      for (const row of missing) shell.out(`missing: ${row.package} (${row.for})`);
      const names = missing.map((row) => row.package).join(" ");
      if (missing.length > 0) {
        shell.out(`On Debian: sudo apt-get install -y --no-install-recommends ${names}`);
        shell.out("Or let `npm start -- --all-engines` install them.");
      }
    });
}
