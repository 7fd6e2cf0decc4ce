import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "#gateway/setup/node.mjs";
import { filesInTurn, todaysFiles } from "./file-turns.mjs";

const files = Array.from({ length: 22 }, (_, at) => `test/e2e/${at}.e2e.test.ts`);

test("four days take every file once", () => {
  const taken = [20, 21, 22, 23].flatMap((day) => filesInTurn(files, day));
  expect(taken.toSorted()).toEqual(files.toSorted());
});

test("every day takes the promises of the API", () => {
  const always = ["test/e2e/every-kind.e2e.test.ts", "test/contract/notes/notes.int.test.ts"];
  for (const day of [20, 21, 22, 23]) expect(filesInTurn([...files, ...always], day)).toEqual(expect.arrayContaining(always));
});

test("today's files are there", async () => {
  const today = await todaysFiles("e2e");
  expect(today.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(today).toContain("test/attacks/attacks.e2e.test.ts");
  expect(today.every((file) => file.endsWith(".e2e.test.ts"))).toBe(true);
});
