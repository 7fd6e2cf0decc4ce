import type { Command } from "commander";
import { askService } from "./ask-service.ts";
import type { Shell } from "./shell.ts";

export function addPurgeCommand(program: Command, shell: Shell): void {
  program
    .command("purge")
    .description("tell what a running service would remove now: what has expired, and files that no job needs; with --yes, remove it")
    .option("--account <email>", "all jobs and files of this account instead, finished or not; the account stays")
    .option("--yes", "remove it; this cannot be undone", false)
    .action(async ({ account: email, yes }: { account?: string; yes: boolean }) => {
      const purged = await askService(shell, async ({ accounts, jobs }) => {
        const found = email === undefined ? undefined : await accounts.getAccount({ account: { ref: { case: "email", value: email } } });
        return jobs.purge({ accountId: found?.account?.id ?? "", dryRun: !yes });
      });
      const { jobs, files, bytes, strayFiles } = purged;
      const strays = email === undefined ? `, ${counted(strayFiles, "file")} of no job` : "";
      const megabytes = (Number(bytes) / 1e6).toFixed(1);
      shell.out(`${counted(jobs, "job")} with ${counted(files, "file")} (${megabytes} MB)${strays} ${yes ? "removed" : "would go"}.`);
      if (!yes) shell.err("Nothing was removed. Run it again with --yes.");
    });
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
