import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("../../../../gateway/web/client/style/", import.meta.url);
const physical =
  /(?:^|[\s;{])((?:margin|padding|border|inset)-(?:left|right)[\w-]*|left|right|border-(?:top|bottom)-(?:left|right)-radius|float|clear|text-align)\s*:\s*([^;]+)/g;

it("no style uses physical left or right, which would break right-to-left languages", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".css"));
  expect(files.length).toBeGreaterThan(5);
  const found = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return [...text.matchAll(physical)]
        .filter(([, property = "", value = ""]) => !/^(?:float|clear|text-align)$/.test(property) || /^(?:left|right)/.test(value))
        .map(([, property, value]) => `${name}: ${property}: ${value}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});
