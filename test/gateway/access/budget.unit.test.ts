import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { budgetOf } from "#gateway/access/budget.ts";
import { AccountSchema, PlanSchema } from "#gen/filemill/account/v1/account_pb.ts";

const guest = { account: create(AccountSchema, { id: "guest_1" }), plan: create(PlanSchema), isGuest: true } as const;
const idOf = (ip: string, key = "a key"): string => budgetOf({ ip }, guest, key).id;

test("guests behind one IP address share one budget, and its id cannot be derived from the address without the key", () => {
  expect(idOf("203.0.113.7")).toBe(idOf("::ffff:203.0.113.7"));
  expect(idOf("203.0.113.7")).not.toBe(idOf("203.0.113.8"));
  expect(idOf("203.0.113.7")).not.toBe(idOf("203.0.113.7", "another key"));
  expect(idOf("203.0.113.7")).not.toContain(createHash("sha256").update("203.0.113.7").digest("hex").slice(0, 32));
});

test("an account has its own budget", () => {
  const caller = { account: create(AccountSchema, { id: "account1" }), plan: create(PlanSchema, { maxStoredMb: 7 }) };
  expect(budgetOf({ ip: "203.0.113.7" }, caller, "a key")).toMatchObject({ id: "account1", guest: false, maxStoredMb: 7 });
});
