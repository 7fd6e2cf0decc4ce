/** Manages the jobs of the key's account on a server. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { JobJson } from "#contract/job-json.ts";
import { needServerAddress, type ServerFlags, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

const asJson = "print the API's JSON, for programs";

export function addJobCommands(program: Command, shell: Shell): void {
  const jobs = program.command("jobs").description("manage the account's jobs on a server");
  const remoteOf = async (flags: ServerFlags) => {
    const server = needServerAddress(flags, shell);
    return (await import("./remote.ts")).openRemote(server);
  };

  withServer(jobs.command("list"))
    .description("list jobs, newest first")
    .option("--status <status>", "only those in this state")
    .option("--limit <n>", "maximum number of jobs, up to 100", "20")
    .option("--json", asJson)
    .action(async (flags: ServerFlags & { readonly status?: string; readonly limit: string; readonly json?: true }) => {
      const listed = await (await remoteOf(flags)).jobs(flags.status, Number(flags.limit));
      if (flags.json === true) return shell.out(JSON.stringify(listed, null, 2));
      const rows = listed.map(rowOf);
      shell.out(tableOf(["ID", "STATUS", "FROM", "TO", "BYTES", "MS", "CREATED"], rows));
    });
  withServer(jobs.command("wait"))
    .description("wait until a job ends and print its state; exits with 0 if it is done")
    .argument("<id>")
    .option("--json", asJson)
    .action(async (id: string, flags: ServerFlags & { readonly json?: true }) => {
      const remote = await remoteOf(flags);
      const job = await remote.untilEnded(await remote.job(id), shell.signal);
      shell.out(flags.json === true ? JSON.stringify(job, null, 2) : job.status);
      if (job.status !== "done") throw (await import("./remote.ts")).failureOf(job);
    });
  withServer(jobs.command("download"))
    .description("write a job's result to a file")
    .argument("<id>")
    .argument("<out>")
    .action(async (id: string, out: string, flags: ServerFlags) => {
      const remote = await remoteOf(flags);
      await remote.download(await remote.job(id), resolve(shell.callerFolder, out), shell.signal);
    });
  withServer(jobs.command("delete"))
    .description("cancel the job if it is unfinished, and delete it with its result")
    .argument("<id>")
    .action(async (id: string, flags: ServerFlags) => (await remoteOf(flags)).remove(id));
}

function rowOf(job: JobJson): string[] {
  return [job.id, job.status, job.from, job.to, String(job.bytes), String(job.durationMs), job.createdAt ?? "-"];
}
