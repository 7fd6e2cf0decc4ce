import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SettingError } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import { createAccountService, ensureFirstAccount } from "#services/account/index.ts";
import { openTestBroker, type TestBroker } from "#test/harness/broker.ts";
import { type Accounts, codeOfFailure, openAccounts } from "./account-harness.ts";

let shared: TestBroker;
let accounts: Accounts;
/** Another gateway's account service on the same broker. */
let elsewhere: Accounts;

beforeAll(async () => {
  shared = await openTestBroker();
  accounts = await openAccounts(shared);
  elsewhere = await openAccounts(shared);
});

afterAll(async () => {
  await accounts[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
  await shared[Symbol.asyncDispose]();
});

const byEmail = (email: string) => ({ ref: { case: "email", value: email } }) as const;

async function createKeyOf(email: string, plan = "plus") {
  await accounts.createAccount({ email, plan });
  return accounts.createKey({ account: byEmail(email), name: "test" });
}

describe("a key", () => {
  test("grants API access to its account under its plan", async () => {
    const { secret, key } = await createKeyOf("ada@example.org");
    expect(key?.prefix).toBe(secret.slice(0, 8));
    const verified = await accounts.verifyKey({ key: secret });
    expect(verified.account).toMatchObject({ email: "ada@example.org", plan: "plus" });
    expect(verified.plan).toMatchObject({ id: "plus", apiAccess: true, maxInputMb: 500 });
    expect(verified.key).toMatchObject({ id: key?.id, name: "test" });
  });

  test("is rejected if it is malformed, unknown or of a plan without API access", async () => {
    const { secret } = await createKeyOf("free@example.org", "free");
    expect(await codeOfFailure(accounts.verifyKey({ key: secret }))).toBe("NOT_ENTITLED");
    expect(await codeOfFailure(accounts.verifyKey({ key: `${secret.slice(0, -1)}~` }))).toBe("INVALID_API_KEY");
    // Well-formed but never issued.
    expect(await codeOfFailure(accounts.verifyKey({ key: "fm_00000000000000000000000000000000000000000001c2fpy" }))).toBe(
      "INVALID_API_KEY",
    );
  });

  test("is rejected by every service soon after its revocation, even on a plan without API access", async () => {
    const { secret, key } = await createKeyOf("revoked@example.org");
    await expect.poll(() => codeOfFailure(elsewhere.verifyKey({ key: secret }))).toBe("none");
    const { key: revoked } = await accounts.revokeKey({ keyId: key?.id ?? "" });
    expect(revoked?.revokedAt).toBeDefined();
    expect(await codeOfFailure(accounts.verifyKey({ key: secret }))).toBe("API_KEY_REVOKED");
    await expect.poll(() => codeOfFailure(elsewhere.verifyKey({ key: secret }))).toBe("API_KEY_REVOKED");
    await accounts.setPlan({ account: byEmail("revoked@example.org"), plan: "free" });
    expect(await codeOfFailure(accounts.verifyKey({ key: secret }))).toBe("API_KEY_REVOKED");
  });

  test("keeps the time of its first revocation", async () => {
    const { key } = await createKeyOf("twice@example.org");
    const first = await accounts.revokeKey({ keyId: key?.id ?? "" });
    const second = await elsewhere.revokeKey({ keyId: key?.id ?? "" });
    expect(second.key?.revokedAt).toEqual(first.key?.revokedAt);
    expect(await codeOfFailure(accounts.revokeKey({ keyId: "key_none" }))).toBe("KEY_NOT_FOUND");
  });

  test("is listed with its last use but without its secret", async () => {
    const { secret, key } = await createKeyOf("list@example.org");
    const second = await accounts.createKey({ account: byEmail("list@example.org"), name: "second" });
    await accounts.verifyKey({ key: secret });
    await expect.poll(async () => (await lastUseOf("list@example.org"))[0]).toBeDefined();
    const { keys } = await accounts.listKeys({ account: byEmail("LIST@example.org") });
    expect(keys.map(({ id }) => id)).toEqual([key?.id, second.key?.id]);
    expect(keys[1]?.lastUsedAt).toBeUndefined();
    expect(JSON.stringify(keys, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toContain(secret.slice(8));
  });

  async function lastUseOf(email: string) {
    return (await accounts.listKeys({ account: byEmail(email) })).keys.map(({ lastUsedAt }) => lastUsedAt);
  }

  test("has a name of at most 100 characters", async () => {
    await createKeyOf("names@example.org");
    const named = (name: string) => codeOfFailure(accounts.createKey({ account: byEmail("names@example.org"), name }));
    expect(await named("é".repeat(100))).toBe("none");
    expect(await named("é".repeat(101))).toBe("BAD_REQUEST");
    expect(await named("a\nb")).toBe("BAD_REQUEST");
  });
});

describe("an account", () => {
  test("is created once per address, whatever the spelling or the service", async () => {
    const spellings = ["race@example.org", "RACE@example.org", " Race@Example.org", "race@EXAMPLE.org"];
    const codes = await Promise.all(
      spellings.flatMap((email) => [accounts, elsewhere].map((service) => codeOfFailure(service.createAccount({ email, plan: "free" })))),
    );
    expect(codes.filter((code) => code === "none")).toHaveLength(1);
    expect(codes.filter((code) => code === "ACCOUNT_EXISTS")).toHaveLength(codes.length - 1);
    const { accounts: all } = await accounts.listAccounts({});
    expect(all.filter(({ email }) => email === "race@example.org")).toHaveLength(1);
  });

  test("changes its plan in every service", async () => {
    const { secret } = await createKeyOf("plan@example.org", "free");
    await accounts.setPlan({ account: byEmail("plan@example.org"), plan: "plus" });
    expect((await accounts.verifyKey({ key: secret })).plan?.id).toBe("plus");
    await expect.poll(() => codeOfFailure(elsewhere.verifyKey({ key: secret }))).toBe("none");
    expect((await accounts.getAccount({ account: byEmail("plan@example.org") })).plan?.maxInputMb).toBe(500);
  });

  test.each([
    ["an unknown plan", { email: "x@example.org", plan: "gold" }, "PLAN_NOT_FOUND"],
    ["an invalid address", { email: "nobody", plan: "free" }, "BAD_REQUEST"],
  ] as const)("is not created with %s", async (_, request, code) => {
    expect(await codeOfFailure(accounts.createAccount(request))).toBe(code);
  });

  test("that does not exist is reported", async () => {
    expect(await codeOfFailure(accounts.getAccount({ account: byEmail("nobody@example.org") }))).toBe("ACCOUNT_NOT_FOUND");
    expect(await codeOfFailure(accounts.listKeys({ account: { ref: { case: "id", value: "acc_none" } } }))).toBe("ACCOUNT_NOT_FOUND");
    expect(await codeOfFailure(accounts.createKey({ name: "of nobody" }))).toBe("BAD_REQUEST");
  });
});

describe("the store", () => {
  test("keeps accounts and keys across restarts, and never a secret", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "filemill-account-"));
    try {
      const log = openLog("silent");
      const secrets: string[] = [];
      {
        await using broker = await openBroker({ dataDir, log });
        await using first = await openAccounts({ broker, log });
        const told = await ensureFirstAccount({ broker, settings: { PLANS_FILE: undefined } });
        const key = told?.key ?? "";
        expect(key).toMatch(/^fm_[0-9A-Za-z]{49}$/);
        secrets.push(key);
        await expect.poll(() => codeOfFailure(first.verifyKey({ key }))).toBe("none");
        secrets.push((await first.createKey({ account: byEmail("local@filemill.localhost"), name: "second" })).secret);
      }
      {
        await using broker = await openBroker({ dataDir, log });
        await using again = await openAccounts({ broker, log });
        for (const secret of secrets) expect(await codeOfFailure(again.verifyKey({ key: secret }))).toBe("none");
        expect(await ensureFirstAccount({ broker, settings: { PLANS_FILE: undefined } })).toBeUndefined();
      }
      const stored = await Promise.all(
        (await readdir(dataDir, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map((entry) => readFile(join(entry.parentPath, entry.name))),
      );
      expect(stored.some((bytes) => bytes.includes("local@filemill.localhost"))).toBe(true);
      for (const secret of secrets) expect(stored.some((bytes) => bytes.includes(secret.slice(8)))).toBe(false);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test("gives the first key to only one of several concurrent starts", async () => {
    await using fresh = await openTestBroker();
    const first = { broker: fresh.broker, settings: { PLANS_FILE: undefined } };
    const keys = await Promise.all([ensureFirstAccount(first), ensureFirstAccount(first), ensureFirstAccount(first)]);
    expect(keys.filter((key) => key !== undefined)).toHaveLength(1);
  });
});

describe("the plans", () => {
  test("from a file replace the defaults, and an account with a removed plan loses access", async () => {
    const folder = await mkdtemp(join(tmpdir(), "filemill-plans-"));
    try {
      const file = join(folder, "plans.json");
      const plan = { apiAccess: true, maxInputMb: 7, requestsPerMinute: 1, maxUnfinishedJobs: 1, retentionSeconds: 60 };
      await writeFile(file, JSON.stringify({ team: plan }));
      const { secret } = await createKeyOf("gone@example.org", "plus");
      await using custom = await openAccounts(shared, { plansFile: file });
      expect((await custom.listPlans({})).plans).toMatchObject([{ id: "team", ...plan }]);
      expect(await codeOfFailure(custom.verifyKey({ key: secret }))).toBe("NOT_ENTITLED");
      await custom.setPlan({ account: byEmail("gone@example.org"), plan: "team" });
      expect((await custom.verifyKey({ key: secret })).plan).toMatchObject(plan);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("from a missing file fail the startup", async () => {
    const service = createAccountService({ ...shared, belongings: [] }, { PLANS_FILE: "/nowhere/plans.json", SIGN_UP: "open" });
    await expect(service.start()).rejects.toThrow(SettingError);
    expect(service.readiness()).toMatchObject({ ready: false, part: "account" });
  });
});
