import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeySecret, hashOf, isKeySecret, prefixOf } from "#services/account/domain/key.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const base62 = fc.constantFrom(...alphabet);

describe("an API key", () => {
  test("has the documented format and a valid checksum", () => {
    for (let i = 0; i < 200; i++) {
      const secret = createKeySecret();
      expect(secret).toMatch(/^fm_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
      expect(isKeySecret(secret)).toBe(true);
    }
  });

  test("is never generated twice and uses every character equally often", () => {
    const secrets = Array.from({ length: 3000 }, createKeySecret);
    expect(new Set(secrets).size).toBe(secrets.length);
    const counts = new Map<string, number>();
    for (const secret of secrets) for (const char of secret.slice(3, 46)) counts.set(char, (counts.get(char) ?? 0) + 1);
    const expected = (secrets.length * 43) / 62;
    const chiSquare = [...alphabet].reduce((sum, char) => sum + ((counts.get(char) ?? 0) - expected) ** 2 / expected, 0);
    // 61 degrees of freedom; a byte modulo 62 without rejection gives several hundred, chance over 160 once in 10^10 runs.
    expect(chiSquare).toBeLessThan(160);
  });

  test("is rejected if any one character is wrong", () => {
    fc.assert(
      fc.property(fc.nat(48), base62, (place, wrong) => {
        const secret = createKeySecret();
        const at = place + 3;
        fc.pre(secret[at] !== wrong);
        expect(isKeySecret(secret.slice(0, at) + wrong + secret.slice(at + 1))).toBe(false);
      }),
    );
  });

  test("is rejected if two adjacent characters are swapped", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 50 }), (at) => {
        const secret = createKeySecret();
        const [left, right] = [secret.charAt(at), secret.charAt(at + 1)];
        fc.pre(left !== right);
        expect(isKeySecret(secret.slice(0, at) + right + left + secret.slice(at + 2))).toBe(false);
      }),
    );
  });

  test("is rejected if truncated, extended or prefixed differently", () => {
    const secret = createKeySecret();
    for (const text of ["", "fm_", secret.slice(0, -1), `${secret}0`, ` ${secret}`, `${secret}\n`, `sk_${secret.slice(3)}`])
      expect(isKeySecret(text)).toBe(false);
  });

  test("is not matched by arbitrary text", () => {
    fc.assert(fc.property(fc.string(), (text) => !isKeySecret(text)));
  });

  test("ends in the base62 CRC-32 as checksum", () => {
    // CRC-32 of fm_ and 43 zeros, computed with another implementation (Python's zlib), is 1478271082.
    expect(isKeySecret(`fm_${"0".repeat(43)}1c2fpy`)).toBe(true);
  });

  test("is shown by 8 characters and stored as its SHA-256", () => {
    const secret = `fm_${"0".repeat(43)}1c2fpy`;
    expect(prefixOf(secret)).toBe("fm_00000");
    expect(hashOf(secret)).toBe("62306a8f531d3804ffbaf79b7e1c3cc9312524bbb9e1d32e9bdee91f9a620f69");
  });
});
