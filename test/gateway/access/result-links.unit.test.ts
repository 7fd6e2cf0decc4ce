import { expect, it } from "vitest";
import { createLinkTokens } from "#gateway/access/result-links.ts";
import { createSeal } from "#gateway/access/seal.ts";

const name = { accountId: "acc_1", jobId: "j".repeat(26), linkId: "l".repeat(22) };
const tokens = createLinkTokens({ deviceKey: "a key" });

it("creates an opaque token for a link, different each time", () => {
  const token = tokens.tokenOf(name);
  expect(tokens.nameOf(token)).toEqual(name);
  expect(Buffer.from(token, "base64url").toString("latin1")).not.toMatch(/acc_|jjjj|llll/);
  expect(tokens.tokenOf(name)).not.toBe(token);
});

it("rejects tokens that were tampered with or made with another key or for another purpose", () => {
  const token = tokens.tokenOf(name);
  const changed = `${token.slice(0, 20)}${token[20] === "A" ? "B" : "A"}${token.slice(21)}`;
  const elsewhere = createLinkTokens({ deviceKey: "another key" }).tokenOf(name);
  const other = createSeal("a key", "filemill tickets", 512).seal([name.accountId, name.jobId, name.linkId]);
  const shape = createSeal("a key", "filemill result links", 512).seal(["acc_1", 7]);
  for (const text of ["", "x", "..", changed, token.slice(1), elsewhere, other, shape, "A".repeat(10_000)])
    expect([text.slice(0, 20), tokens.nameOf(text)]).toEqual([text.slice(0, 20), undefined]);
});
