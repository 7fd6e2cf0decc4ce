import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { askService } from "./ask-service.ts";
import type { Shell } from "./shell.ts";
import { tableOf } from "./table.ts";

const byEmail = (email: string) => ({ ref: { case: "email", value: email } }) as const;

export function addAccountCommands(program: Command, shell: Shell): void {
  const accounts = program.command("accounts").description("manage accounts of the running service");
  accounts
    .command("create")
    .description("create an account")
    .argument("<email>")
    .requiredOption("--plan <plan>", "the account's plan, for example plus or free")
    .action(async (email: string, { plan }: { plan: string }) => {
      const { account } = await askService(shell, (peers) => peers.accounts.createAccount({ email, plan }));
      shell.out(account?.id ?? "");
      shell.err(`Sign-in link (works once, within 24 hours): ${await newLink(shell, email)}`);
    });
  accounts
    .command("link")
    .description("print a one-time sign-in link, also for a lost password")
    .argument("<email>")
    .action(async (email: string) => shell.out(await newLink(shell, email)));
  accounts
    .command("list")
    .description("list all accounts")
    .action(async () => {
      const { accounts: all } = await askService(shell, (peers) => peers.accounts.listAccounts({}));
      const rows = all.map(({ id, email, plan, createdAt, disabledAt, operator }) => [
        id,
        email,
        plan,
        momentOf(createdAt),
        ...[operator ? "operator" : "", disabledAt === undefined ? "" : "disabled"].filter((state) => state !== ""),
      ]);
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
  addStateCommands(accounts, shell);
}

function addStateCommands(accounts: Command, shell: Shell): void {
  for (const [name, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    accounts
      .command(name)
      .description(
        disabled ? "disable an account; its keys and sessions stop working everywhere within a second" : "enable a disabled account",
      )
      .argument("<email>")
      .action(async (email: string) => {
        await askService(shell, (peers) => peers.accounts.setDisabled({ account: byEmail(email), disabled }));
      });
  }
  accounts
    .command("operator")
    .description("give an account access to the operator's page")
    .argument("<email>")
    .option("--off", "take it back")
    .action(async (email: string, { off }: { off?: true }) => {
      await askService(shell, (peers) => peers.accounts.setOperator({ account: byEmail(email), operator: off !== true }));
    });
  accounts
    .command("delete")
    .description("delete an account with its keys, jobs and files; this cannot be undone")
    .argument("<email>")
    .action(async (email: string) => {
      await askService(shell, (peers) => peers.accounts.deleteAccount({ account: byEmail(email) }));
    });
}

/** The token is in the fragment, which browsers never send. */
async function newLink(shell: Shell, email: string): Promise<string> {
  const { token } = await askService(shell, (peers) => peers.signIn.createLink({ account: byEmail(email) }));
  const { findPublicUrl } = await import("./connection.ts");
  return `${await findPublicUrl(shell.env)}/automate#link=${token}`;
}

export function addKeyCommands(program: Command, shell: Shell): void {
  const keys = program.command("keys").description("manage API keys of the running service");
  keys
    .command("create")
    .description("create a key and print only the key; it is shown once")
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
    .description("revoke a key; it stops working everywhere within a second")
    .argument("<id>", "the key's id, as listed")
    .action(async (keyId: string) => {
      await askService(shell, (peers) => peers.accounts.revokeKey({ keyId }));
    });
}

function momentOf(timestamp: Timestamp | undefined): string {
  return timestamp === undefined ? "-" : new Date(Number(timestamp.seconds) * 1000).toISOString().slice(0, 19).concat("Z");
}
