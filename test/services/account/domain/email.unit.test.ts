import { expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { emailHashOf, parseEmail } from "#services/account/domain/email.ts";

test("normalizes an address to one spelling", () => {
  expect(parseEmail("  Ada.Lovelace@Example.ORG ")).toBe("ada.lovelace@example.org");
  // u with a combining diaeresis and the composed character are the same address.
  expect(parseEmail("ju\u0308rgen@example.org")).toBe(parseEmail("j\u00fcrgen@example.org"));
});

test.each(["", "ada", "@example.org", "ada@", "a b@example.org", "ada@exa\u0000mple.org", "a@b@c", `${"a".repeat(250)}@b.de`])(
  "rejects %j",
  (text) => {
    expect(() => parseEmail(text)).toThrow(FilemillError);
  },
);

test("indexes an address by the SHA-256 of its normalized spelling", () => {
  expect(emailHashOf("ada@example.org")).toBe("cfe00dde46ef942601ffafb9e2825e802858b460e586b8305b344c1eb826357d");
});
