/** Installs Filemill from this clone as a systemd service. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { runCommand } from "#gateway/setup/command.mjs";
import { ensureCompiledCode } from "#gateway/setup/compiled-code.mjs";
import { root } from "#gateway/setup/node.mjs";
import { ensureSystemPackages, wantedPackages } from "#gateway/setup/system-packages.mjs";
import type { Shell } from "./shell.ts";
import { type Installation, refusalOf, unitOf } from "./system-unit.ts";

const unitFile = "/etc/systemd/system/filemill.service";

type Options = { readonly user: string; readonly print: boolean; readonly allEngines: boolean };

export function addInstallServiceCommand(program: Command, shell: Shell): void {
  program
    .command("install-service")
    .description("install this clone as a hardened systemd service with its own user, and start it; needs root")
    .option("--user <name>", "the user that the service runs as; created if missing", "filemill")
    .option("--all-engines", "install the packages of every engine, not only the everyday ones", false)
    .option("--print", "print the unit and change nothing", false)
    .action(async (options: Options) => {
      const installation = { clone: root, node: process.execPath, user: options.user };
      const refusal = refusalOf(installation, options.print ? undefined : hostOf());
      if (refusal !== undefined) throw new FilemillError("BAD_REQUEST", refusal);
      const unit = unitOf(readFileSync(join(root, ".deploy/filemill.service"), "utf8"), installation);
      if (options.print) return shell.out(unit.trimEnd());
      await install(installation, unit, options.allEngines);
      shell.err(`${unitFile} was written; the service is enabled and running.`);
      shell.err("Its address and, the first time, an API key: journalctl -u filemill");
    });
}

function hostOf() {
  return { uid: process.getuid?.(), hasSystemd: existsSync("/run/systemd/system") };
}

async function install({ clone, user }: Installation, unit: string, allEngines: boolean): Promise<void> {
  await ensureSystemPackages(wantedPackages(allEngines ? ["--all-engines"] : []).packages);
  // Compiled here, because the service cannot write into the clone.
  await ensureCompiledCode(clone);
  if ((await runCommand(["id", "-u", user])).code !== 0) {
    await succeed("useradd", "--system", "--user-group", "--home-dir", "/var/lib/filemill", "--shell", "/usr/sbin/nologin", user);
  }
  if ((await runCommand(["runuser", "-u", user, "--", "test", "-r", join(clone, "gateway/main.ts")])).code !== 0) {
    throw new FilemillError("UNAVAILABLE", `The user ${user} cannot read ${clone}: chmod -R o+rX ${clone}, and its parents o+x.`);
  }
  await writeFile(unitFile, unit, { mode: 0o644 });
  await succeed("systemctl", "daemon-reload");
  await succeed("systemctl", "enable", "filemill.service");
  await succeed("systemctl", "restart", "filemill.service");
}

async function succeed(...command: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command);
  if (code !== 0) throw new FilemillError("UNAVAILABLE", `\`${command.join(" ")}\` ended with ${code}. ${output.trim()}`.trim());
}
