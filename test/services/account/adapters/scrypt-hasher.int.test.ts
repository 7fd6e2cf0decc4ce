import { expect, test } from "vitest";
import { createScryptHasher } from "#services/account/adapters/scrypt-hasher.ts";
import { codeOfFailure } from "#test/services/account/account-harness.ts";

test("hashes with the current parameters and a random salt, and verifies its own hash", async () => {
  const hasher = createScryptHasher();
  const [one, two] = [await hasher.hash("a password", "stranger"), await hasher.hash("a password", "stranger")];
  expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(one).not.toBe(two);
  expect([
    await hasher.verify("a password", one, "stranger"),
    await hasher.verify("b password", one, "stranger"),
    await hasher.verify("a password", undefined, "known"),
  ]).toEqual([true, false, false]);
  expect(hasher.isOutdated(one)).toBe(false);
});

test.each(["", "$argon2id$v=19$m=1$x$y", "$scrypt$ln=15,r=8,p=3$short$short"])("does not accept %j as a hash", async (stored) => {
  const hasher = createScryptHasher({ ln: 4, r: 1, p: 1 });
  expect(await hasher.verify("a password", stored, "stranger")).toBe(false);
  expect(hasher.isOutdated(stored)).toBe(true);
});

test("rejects calls when too many are waiting", async () => {
  const hasher = createScryptHasher({ ln: 10, r: 8, p: 1 });
  const codes = await Promise.all(Array.from({ length: 40 }, () => codeOfFailure(hasher.hash("a password", "stranger"))));
  expect(codes.filter((code) => code === "OVERLOADED")).toHaveLength(40 - 2 - 32);
  expect(await codeOfFailure(hasher.hash("a password", "stranger"))).toBe("none");
});

test("lets known users pass waiting strangers and rejects none because of strangers", async () => {
  const hasher = createScryptHasher({ ln: 10, r: 8, p: 1 });
  const order: string[] = [];
  const ask = async (asker: "known" | "stranger"): Promise<void> => {
    const code = await codeOfFailure(hasher.hash("a password", asker));
    if (code === "none") order.push(asker);
  };
  const strangers = Array.from({ length: 60 }, () => ask("stranger"));
  await Promise.all([...strangers, ask("known"), ask("known")]);
  expect(order.filter((each) => each === "stranger")).toHaveLength(2 + 32);
  expect(order.filter((each) => each === "known")).toHaveLength(2);
  // After the two in progress and any that a busy machine finished first. In order of arrival they would be last.
  expect(order.lastIndexOf("known")).toBeLessThan(30);
});
