import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { askService } from "./connection.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

const byEmail = (email: string) => ({ ref: { case: "email", value: email } }) as const;

export function addAccountCommands(program: Command, shell: Shell): void {
  const accounts = program.command("accounts").description("accounts of the running service");
  accounts
    .command("create")
    .description("create an account")
    .argument("<email>")
    .requiredOption("--plan <plan>", "the account's plan, for example plus or free")
    .action(async (email: string, { plan }: { plan: string }) => {
      const { account } = await askService(shell, (peers) => peers.accounts.createAccount({ email, plan }));
      shell.out(account?.id ?? "");
    });
  accounts
    .command("list")
    .description("list all accounts")
    .action(async () => {
      const { accounts: all } = await askService(shell, (peers) => peers.accounts.listAccounts({}));
      const rows = all.map(({ id, email, plan, createdAt }) => [id, email, plan, momentOf(createdAt)]);
      shell.out(tableOf(["ID", "EMAIL", "PLAN", "CREATED"], rows));
    });
  accounts
    .command("set-plan")
    .description("change an account's plan")
    .argument("<email>")
    .argument("<plan>")
    .action(async (email: string, plan: string) => {
      await askService(shell, (peers) => peers.accounts.setPlan({ account: byEmail(email), plan }));
    });
}

export function addKeyCommands(program: Command, shell: Shell): void {
  const keys = program.command("keys").description("API keys of the running service");
  keys
    .command("create")
    .description("create a key and print it alone, the only time it is shown")
    .argument("<email>")
    .option("--name <name>", "what the key is for", "")
    .action(async (email: string, { name }: { name: string }) => {
      const { secret } = await askService(shell, (peers) => peers.accounts.createKey({ account: byEmail(email), name }));
      shell.out(secret);
    });
  keys
    .command("list")
    .description("list an account's keys")
    .argument("<email>")
    .action(async (email: string) => {
      const { keys: all } = await askService(shell, (peers) => peers.accounts.listKeys({ account: byEmail(email) }));
      const rows = all.map((key) => [
        key.id,
        `${key.prefix}...`,
        key.name === "" ? "-" : key.name,
        momentOf(key.createdAt),
        momentOf(key.lastUsedAt),
        momentOf(key.revokedAt),
      ]);
      shell.out(tableOf(["ID", "KEY", "NAME", "CREATED", "LAST USED", "REVOKED"], rows));
    });
  keys
    .command("revoke")
    .description("revoke a key, everywhere within a second")
    .argument("<id>", "the key's id, as listed")
    .action(async (keyId: string) => {
      await askService(shell, (peers) => peers.accounts.revokeKey({ keyId }));
    });
}

function momentOf(timestamp: Timestamp | undefined): string {
  return timestamp === undefined ? "-" : timestampDate(timestamp).toISOString().slice(0, 19).concat("Z");
}
