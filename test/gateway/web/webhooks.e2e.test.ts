import sharp from "sharp";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { phone, type TestPage } from "#test/harness/browser.ts";
import { opened } from "#test/harness/opened.ts";
import { withPages } from "#test/harness/pages.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";
import { openReceiver } from "#test/services/webhook/webhook-harness.ts";
import { seriousFindings } from "./accessibility.ts";

const pages = withPages(() =>
  startServer({ ...withoutOffice, WEBHOOK_PRIVATE_ADDRESSES: "allowed", WEBHOOK_PORTS: "1-65535", WEBHOOK_RETRY_SECONDS: "3600" }),
);
const receiver = opened(() => openReceiver(() => answer));
let answer = 200;

async function convert(): Promise<string> {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set("to", "webp");
  form.set("file", new File([new Uint8Array(png)], "a.png"));
  const headers = { authorization: `Bearer ${pages.server.key}` };
  const response = await fetch(`${pages.server.url}/api/v1/convert`, { method: "POST", headers, body: form });
  const { job }: { job: { id: string } } = JSON.parse(await response.text());
  return job.id;
}

async function verified(index: number, secret: string): Promise<unknown> {
  await expect.poll(() => receiver.received.length).toBeGreaterThan(index);
  const { body, headers } = receiver.received[index] ?? { body: "", headers: {} };
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return new Verifier(secret).verify(body, texts);
}

/** In both colour schemes. */
async function findings(page: TestPage): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await seriousFindings(page);
  await page.emulateMedia({ colorScheme: "light" });
  return [...dark, ...(await seriousFindings(page))];
}

test("a webhook's life: create, deliver, resend, retry, rotate secret, disable, 410, delete", { timeout: 240_000 }, async () => {
  const page = await pages.open((pages.server.signInLink ?? "").slice(pages.server.url.length));
  await page.getByRole("link", { name: "Operate" }).waitFor();
  await page.goto("/automate");
  const section = page.getByRole("region", { name: "Webhooks" });
  const dialog = page.getByRole("dialog");
  await section.getByText("No webhooks yet.").waitFor();

  await section.getByRole("button", { name: "Add webhook" }).click();
  await dialog.getByLabel("Address").fill("ftp://example.org/");
  await dialog.getByRole("checkbox", { name: "a job is done" }).uncheck();
  await dialog.getByRole("checkbox", { name: "a job has failed" }).uncheck();
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await dialog.getByText("Choose at least one.").waitFor();
  await dialog.getByRole("checkbox", { name: "a job is done" }).check();
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await expect.poll(() => dialog.getByLabel("Address").getAttribute("aria-invalid")).toBe("true");
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel("Address").fill(receiver.url);
  await dialog.getByLabel("Description").fill("Orders");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  const secret = await dialog.locator("#new-secret").innerText();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).click();
  expect(await page.content()).not.toContain(secret);
  await section.getByText("enabled", { exact: true }).waitFor();
  expect(await section.innerText()).not.toContain("job.failed");

  const first = await convert();
  expect(await verified(0, secret)).toMatchObject({ type: "job.done", data: { job: { id: first } } });
  await section.getByRole("button", { name: "Deliveries of Orders" }).click();
  const list = section.getByRole("list", { name: "Deliveries" });
  await list.getByText("1 attempt, answered 200").waitFor();
  expect(await findings(page)).toEqual([]);
  await list.getByRole("button", { name: `Resend: job.done of job ${first}` }).click();
  await verified(1, secret);

  answer = 500;
  await convert();
  await list.getByText(/1 attempt, .*500.* · next attempt in/).waitFor();
  await list.getByText("pending", { exact: true }).waitFor();

  await section.getByRole("button", { name: "Rotate the secret of Orders" }).click();
  await dialog.getByRole("button", { name: "Rotate secret" }).click();
  await expect.poll(() => dialog.locator("#new-secret").innerText()).not.toBe(secret);
  const renewed = await dialog.locator("#new-secret").innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  answer = 200;
  await list.getByRole("button", { name: `Resend: job.done of job ${first}` }).click();
  await verified(3, renewed);
  await verified(3, secret);

  await section.getByRole("switch", { name: "Enable Orders" }).click();
  await section.getByText("disabled", { exact: true }).waitFor();
  await convert();
  await section.getByRole("switch", { name: "Enable Orders" }).click();
  await section.getByText("enabled", { exact: true }).waitFor();
  expect(receiver.received).toHaveLength(4);

  answer = 410;
  const last = await convert();
  expect(await verified(4, renewed)).toMatchObject({ data: { job: { id: last } } });
  await expect
    .poll(async () => {
      await page.reload();
      return section.getByText(/answered 410/).isVisible();
    })
    .toBe(true);
  expect(await findings(page)).toEqual([]);

  await section.getByRole("button", { name: "Change Orders" }).click();
  await dialog.getByRole("checkbox", { name: "a job has failed" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await section.getByText("job.done and job.failed").waitFor();
  await page.setViewportSize(phone.viewport ?? { width: 375, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  await section.getByRole("button", { name: "Delete Orders" }).click();
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await section.getByText("No webhooks yet.").waitFor();
  expect(page.faults).toEqual([]);
  await page.context().close();
});
