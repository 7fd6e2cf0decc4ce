import type { Command } from "commander";
import { askService } from "./ask-service.ts";
import type { Shell } from "./shell.ts";

export function addPurgeCommand(program: Command, shell: Shell): void {
  program
    .command("purge")
    .description("show what a running service would delete now: expired results, and files that no job needs; --yes deletes them")
    .option("--account <email>", "all jobs and files of this account instead, finished or not; keeps the account")
    .option("--yes", "delete them; this cannot be undone", false)
    .action(async ({ account: email, yes }: { account?: string; yes: boolean }) => {
      const purged = await askService(shell, async ({ accounts, jobs }) => {
        const found = email === undefined ? undefined : await accounts.getAccount({ account: { ref: { case: "email", value: email } } });
        return jobs.purge({ accountId: found?.account?.id ?? "", dryRun: !yes });
      });
      const { jobs, files, bytes, strayFiles } = purged;
      const strays = email === undefined ? `, ${counted(strayFiles, "file")} of no job` : "";
      const megabytes = (Number(bytes) / 1e6).toFixed(1);
      shell.out(
        `${counted(jobs, "job")} with ${counted(files, "file")} (${megabytes} MB)${strays} ${yes ? "removed" : "would be removed"}.`,
      );
      if (!yes) shell.err("Nothing was removed. Run again with --yes.");
    });
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
