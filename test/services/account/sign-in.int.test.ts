import { describe, expect, test } from "vitest";
import type { Belonging } from "#services/account/domain/delete-account.ts";
import type { Hasher } from "#services/account/domain/password.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { opened } from "#test/harness/opened.ts";
import { codeOfFailure, openAccounts, quickHasher } from "./account-harness.ts";

const password = "correct horse battery";
const shared = opened(openTestBroker);
const accounts = opened(() => openAccounts(shared, { hasher: notedHasher() }));
/** Another gateway's account service on the same broker. */
const elsewhere = opened(() => openAccounts(shared));
const hashed: string[] = [];

/** The real hasher, recording its calls. */
function notedHasher(): Hasher {
  const real = quickHasher();
  const noted = <A extends unknown[], R>(name: string, call: (...args: A) => R) => {
    return (...args: A): R => {
      hashed.push(name);
      return call(...args);
    };
  };
  return { ...real, hash: noted("hash", real.hash), verify: noted("verify", real.verify) };
}

const byId = (value: string) => ({ ref: { case: "id", value } }) as const;
const byEmail = (value: string) => ({ ref: { case: "email", value } }) as const;

describe("a password", () => {
  test("costs one hash to check, whether it or the address is wrong", async () => {
    await accounts.signUp({ email: "known@example.org", password });
    await accounts.createAccount({ email: "without@example.org", plan: "free" });
    for (const email of ["known@example.org", "without@example.org", "unknown@example.org", "no address", ""]) {
      hashed.length = 0;
      expect(await codeOfFailure(accounts.signIn({ email, password: "not that one" }))).toBe("INVALID_CREDENTIALS");
      expect(hashed).toEqual(["verify"]);
    }
  });

  test("may be typed in another Unicode form", async () => {
    await accounts.signUp({ email: "forms@example.org", password: "Zo\u00eb's \ufb01ne pass" });
    expect(await codeOfFailure(accounts.signIn({ email: " Forms@Example.org ", password: "Zoe\u0308's fine pass" }))).toBe("none");
  });

  test("is rehashed at sign-in when the parameters have changed", async () => {
    await elsewhere.signUp({ email: "old@example.org", password });
    const { createScryptHasher } = await import("#services/account/adapters/scrypt-hasher.ts");
    await using stronger = await openAccounts(shared, { hasher: createScryptHasher({ ln: 5, r: 1, p: 1 }) });
    expect(await codeOfFailure(stronger.signIn({ email: "old@example.org", password }))).toBe("none");
    expect(await codeOfFailure(stronger.signIn({ email: "old@example.org", password }))).toBe("none");
    await expect.poll(() => codeOfFailure(elsewhere.signIn({ email: "old@example.org", password }))).toBe("none");
  });
});

describe("sign-up", () => {
  test("creates one account for concurrent requests with the same address", async () => {
    const tries = [accounts, elsewhere, accounts, elsewhere].map((service) =>
      codeOfFailure(service.signUp({ email: "race@example.org", password })),
    );
    expect((await Promise.all(tries)).filter((code) => code === "none")).toHaveLength(1);
  });

  test("can be closed", async () => {
    await using closed = await openAccounts(shared, { signUp: "closed" });
    expect(await closed.getSignUp({})).toMatchObject({ open: false, plan: { id: "free" } });
    expect(await codeOfFailure(closed.signUp({ email: "late@example.org", password }))).toBe("SIGN_UP_CLOSED");
  });
});

describe("a session", () => {
  test("is valid in every service and ends in all of them", async () => {
    const { account, sessionToken } = await accounts.signUp({ email: "session@example.org", password });
    await expect.poll(() => codeOfFailure(elsewhere.verifySession({ sessionToken }))).toBe("none");
    await accounts.endSession({ sessionToken });
    await expect.poll(() => codeOfFailure(elsewhere.verifySession({ sessionToken })), { interval: 10 }).toBe("SIGN_IN_REQUIRED");
    expect((await accounts.listSessions({ account: byId(account?.id ?? "") })).sessions).toEqual([]);
  });

  test("is valid at once in every service, even for a new account", async () => {
    for (let round = 0; round < 10; round++) {
      const { sessionToken } = await accounts.signUp({ email: `at-once-${round}@example.org`, password });
      expect(await codeOfFailure(elsewhere.verifySession({ sessionToken }))).toBe("none");
    }
  });

  test.each(["", "x".repeat(43), "../../sessions", "\u0000"])("is not found for %j", async (sessionToken) => {
    expect(await codeOfFailure(accounts.verifySession({ sessionToken }))).toBe("SIGN_IN_REQUIRED");
  });

  test("is one of at most 50: the oldest is removed", async () => {
    const { account, sessionToken: first } = await accounts.signUp({ email: "many@example.org", password });
    // Makes the first session older by at least a millisecond.
    for (const begun = Date.now(); Date.now() === begun; );
    for (let more = 0; more < 50; more++) await accounts.signIn({ email: "many@example.org", password });
    expect((await accounts.listSessions({ account: byId(account?.id ?? "") })).sessions).toHaveLength(50);
    expect(await codeOfFailure(accounts.verifySession({ sessionToken: first }))).toBe("SIGN_IN_REQUIRED");
  });
});

describe("a one-time link", () => {
  test("signs in only one of several concurrent requests", async () => {
    const { account } = await accounts.createAccount({ email: "link@example.org", plan: "free" });
    const { token } = await accounts.createLink({ account: byId(account?.id ?? "") });
    const tries = [accounts, elsewhere, accounts].map((service) => codeOfFailure(service.signInByLink({ token })));
    expect((await Promise.all(tries)).toSorted()).toEqual(["INVALID_CREDENTIALS", "INVALID_CREDENTIALS", "none"]);
  });
});

describe("an identity", () => {
  test("joins the account with its verified address, which keeps its password", async () => {
    const { account } = await accounts.createAccount({ email: "staff@example.org", plan: "plus" });
    const { token } = await accounts.createLink({ account: byId(account?.id ?? "") });
    const { sessionToken } = await accounts.signInByLink({ token });
    await accounts.setPassword({ sessionToken, current: "", next: password });
    const identity = { issuer: "https://id.example.org", subject: "1", email: "Staff@Example.org", emailVerified: true, plan: "free" };
    expect((await accounts.signInByIdentity(identity)).account).toMatchObject({ id: account?.id, plan: "plus" });
    expect(await codeOfFailure(accounts.signIn({ email: "staff@example.org", password }))).toBe("none");
    // From then on the subject identifies the account, not the address.
    const renamed = { ...identity, email: "renamed@example.org", emailVerified: false };
    expect((await accounts.signInByIdentity(renamed)).account?.id).toBe(account?.id);
    expect(await codeOfFailure(accounts.signInByIdentity({ ...renamed, issuer: "https://other.example.org" }))).toBe("INVALID_CREDENTIALS");
  });
});

describe("deleting an account", () => {
  test("is retried automatically when another service was down", async () => {
    let calls = 0;
    const flaky: Belonging = {
      name: "jobs",
      removeAll: () => (++calls < 3 ? Promise.reject(new Error("the other service is down")) : Promise.resolve()),
    };
    await using flakily = await openAccounts(shared, { belongings: [flaky] });
    const { account } = await flakily.signUp({ email: "later@example.org", password });
    expect(await codeOfFailure(flakily.deleteAccount({ account: byId(account?.id ?? "") }))).toBe("INTERNAL");
    await expect.poll(() => codeOfFailure(flakily.signUp({ email: "later@example.org", password }))).toBe("none");
    expect(calls).toBe(3);
  });

  test("leaves nothing usable if interrupted, and continues at the next start", async () => {
    // A concurrent lookup of the address must not restore the account, as the polls below once did one time in three.
    const removed: string[] = [];
    const broken: Belonging = { name: "jobs", removeAll: () => Promise.reject(new Error("the other service is down")) };
    const whole: Belonging = { name: "jobs", removeAll: async (accountId) => void removed.push(accountId) };
    await using before = await openAccounts(shared, { belongings: [broken] });
    const { account, sessionToken } = await before.signUp({ email: "half@example.org", password });
    const id = account?.id ?? "";
    await before.createKey({ account: byId(id), name: "of it" });
    expect(await codeOfFailure(before.deleteAccount({ account: byId(id) }))).toBe("INTERNAL");
    expect(await codeOfFailure(before.verifySession({ sessionToken }))).toBe("SIGN_IN_REQUIRED");
    expect(await codeOfFailure(before.signIn({ email: "half@example.org", password }))).toBe("INVALID_CREDENTIALS");
    expect(await codeOfFailure(before.getAccount({ account: byId(id) }))).toBe("ACCOUNT_NOT_FOUND");
    expect(await codeOfFailure(before.signUp({ email: "half@example.org", password }))).toBe("ACCOUNT_EXISTS");

    await using after = await openAccounts(shared, { belongings: [whole] });
    await expect.poll(() => codeOfFailure(after.signUp({ email: "half@example.org", password }))).toBe("none");
    expect(removed).toContain(id);
    expect((await after.getAccount({ account: byEmail("half@example.org") })).account?.id).not.toBe(id);
  });
});
