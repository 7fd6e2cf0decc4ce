import { expect, test } from "vitest";
import { KeyScope } from "#gen/filemill/account/v1/account_pb.ts";
import { accessOf } from "#services/account/domain/access.ts";
import type { Directory } from "#services/account/domain/directory.ts";
import { createKeySecret, hashOf } from "#services/account/domain/key.ts";

test("a key check looks up only the hash of the key, so its timing reveals nothing about other keys", () => {
  const asked: unknown[] = [];
  // Any other way to find a key is a failure.
  const directory = new Proxy({} as Directory, {
    get: (_, name) => {
      if (name !== "key") throw new Error(`${String(name)} was asked`);
      return (hash: string) => void asked.push(hash);
    },
  });
  const guesses = [createKeySecret(), createKeySecret(), "fm_short", "", "x".repeat(10_000)];
  for (const key of guesses) {
    expect(() => accessOf({ key, scope: KeyScope.READ }, directory, new Map())).toThrow(
      expect.objectContaining({ code: "INVALID_API_KEY" }),
    );
  }
  expect(asked).toEqual(guesses.slice(0, 2).map(hashOf));
});
