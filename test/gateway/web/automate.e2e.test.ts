import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { openStage } from "#test/gateway/stage.ts";
import { openBrowser, type TestPage } from "#test/harness/browser.ts";
import { runCli } from "#test/harness/cli.ts";
import { withPages } from "#test/harness/pages.ts";
import { seriousFindings } from "./accessibility.ts";

const email = "ada@example.org";
const password = "correct horse battery staple";

const pages = withPages();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-automate-"));
  await writeFile(
    join(folder, "photo.jpg"),
    await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer(),
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs a command line shown on a page the way a reader would, in a shell. Rejects with its output if it fails. */
async function paste(line: string): Promise<void> {
  await promisify(execFile)("sh", ["-c", line], { cwd: folder });
}

async function signIn(page: TestPage, secret: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("from sign-up to an API key whose curl line works until the key is revoked", { timeout: 180_000 }, async () => {
  const page = await pages.open("/automate");
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect.poll(() => page.getByLabel("Password").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();

  await page.getByText("This plan has no API access.").waitFor();
  expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  const command = await page.locator("#set-plan").innerText();
  expect(command).toMatch(/^npm run -s filemill -- accounts set-plan /);
  await runCli(pages.server, command.split(" -- ")[1]?.split(" ") ?? []);
  await page.getByRole("heading", { name: "Plan: Plus" }).waitFor();
  await page.getByText("0 B of 20 GB").waitFor();
  await page.getByText("0 s of 10 h").waitFor();

  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Build server");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const line = await page.locator("#new-key-line").innerText();
  const secret = await page.locator("#new-key").innerText();
  expect(line).toContain(secret);
  expect(line).toContain(`"${pages.server.url}/api/v1/convert?download=wait"`);
  expect(await seriousFindings(page)).toEqual([]);
  await paste(line);
  expect((await sharp(await readFile(join(folder, "photo.webp"))).metadata()).format).toBe("webp");
  await page.getByRole("button", { name: "Done" }).click();
  expect(await page.content()).not.toContain(secret);

  const keys = page.getByRole("list", { name: "API keys" });
  await keys.getByText(`${secret.slice(0, 8)}…`).waitFor();
  for (const time of await keys.locator("time").all()) expect(Date.parse((await time.getAttribute("datetime")) ?? "")).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Rename Build server" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Nightly build");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await page.getByRole("button", { name: "Revoke Nightly build" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await keys.getByText("revoked", { exact: true }).waitFor();
  await expect(paste(line)).rejects.toThrow(/API_KEY_REVOKED: /);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("an operator's sign-in link works once and leaves no trace in the URL", async () => {
  const printed = await runCli(pages.server, ["accounts", "link", "local@filemill.localhost"]);
  const [link = ""] = /https?:\/\/\S+/.exec(printed) ?? [];
  const path = link.slice(new URL(link).origin.length);
  const page = await pages.open(path);
  await page.getByText("Signed in as local@filemill.localhost").waitFor();
  expect(page.url()).toBe(`${pages.server.url}/automate`);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const second = await pages.open(path);
  await second.getByRole("alert").waitFor();
  await second.getByRole("heading", { name: "Sign in" }).waitFor();
  expect([...page.faults, ...second.faults]).toEqual([]);
  await page.context().close();
  await second.context().close();
});

test("changes the password, signs out everywhere and deletes the account", { timeout: 180_000 }, async () => {
  const page = await pages.open("/automate");
  await signIn(page, "not the password at all");
  await page.getByRole("alert").waitFor();
  await signIn(page, password);
  await page.getByText(`Signed in as ${email}`).waitFor();

  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel("New password").fill(`${password} two`);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("The password was changed.").waitFor();

  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(page, `${password} two`);
  await page.getByText(`Signed in as ${email}`).waitFor();

  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill("wrong wrong wrong wrong");
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByLabel("Your password").fill(`${password} two`);
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await runCli(pages.server, ["accounts", "list"])).not.toContain(email);
  expect(page.faults).toEqual([]);
  await page.context().close();
});

test("the pages say so if sign-up is closed and guests are not allowed", async () => {
  const transport = createRouterTransport(({ service }) => void service(SignInService, { getSignUp: () => ({ open: false }) }));
  await using closed = await openStage({ settings: { GUESTS: "off" }, deps: { signIn: createClient(SignInService, transport) } });
  await using other = await openBrowser(closed.url);
  const page = await other.open("/");
  await page.getByRole("heading", { name: "Sign in to convert" }).waitFor();
  await page.goto("/jobs");
  await page.getByText("Your jobs appear here when you sign in.").waitFor();
  await page.goto("/automate");
  await page.getByText("Only the operator of this server creates accounts.").waitFor();
  expect(page.faults).toEqual([]);
});
