import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("../../../../../gateway/web/client/style/", import.meta.url);

it("never groups vendor-specific selectors, since a browser drops the whole rule for an unknown one", async () => {
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThan(5);
  const mixed: string[] = [];
  for (const name of names) {
    const text = await readFile(new URL(name, folder), "utf8");
    const selectors = text.split("{").map((before) => before.slice(before.lastIndexOf("}") + 1));
    mixed.push(...selectors.filter((each) => /::-webkit-/.test(each) && /::-moz-/.test(each)));
  }
  expect(mixed).toEqual([]);
});
