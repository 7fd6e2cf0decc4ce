import { resolve } from "node:path";
import type { Command } from "commander";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import type { Shell } from "./shell.ts";

/** The code behind these commands is loaded only when they run. */
export function addBackupCommands(program: Command, shell: Shell): void {
  const openParts = () => [parseSettings(settingTable, shell.env), openLog(shell.env.LOG_LEVEL || "silent")] as const;
  const folderOf = (name: string) => resolve(shell.callerFolder, name);
  program
    .command("backup")
    .description("back up accounts, keys, jobs and files into a new folder; the service may be running")
    .argument("<folder>", "must not exist yet; anyone who can read it can act as any account")
    .action(async (folder: string) => {
      const { writeBackup } = await import("#kit/backup/write-backup.ts");
      const [settings, log] = openParts();
      const { buckets, blobs, missing } = await writeBackup(settings, folderOf(folder), log);
      const records = buckets.reduce((sum, { entries }) => sum + entries, 0);
      shell.err(`${records} records, ${blobs} files${missing === 0 ? "" : `; ${missing} files had expired`}.`);
    });
  program
    .command("restore")
    .description("restore a backup into an empty DATA_DIR, while no service uses it")
    .argument("<folder>", "of a backup")
    .action(async (folder: string) => {
      const { restoreBackup } = await import("#kit/backup/restore-backup.ts");
      const [settings, log] = openParts();
      const { at, buckets, blobs } = await restoreBackup(settings, folderOf(folder), log);
      const records = buckets.reduce((sum, { entries }) => sum + entries, 0);
      shell.err(`${records} records and ${blobs} files of ${at} were restored.`);
    });
}
