/** Whoever passes Filemill on passes its npm packages on: none may bring duties that nobody here has looked at. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Keep the notice; or, for a library that stays one of its own, pass on its source or where it is. README names the latter. */
const accepted = new Set([
  ...["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "Python-2.0", "Unlicense"],
  ...["LGPL-3.0-or-later", "MPL-2.0"],
]);
/** Packages whose file says what their package.json does not. */
const known: Readonly<Record<string, string>> = { "async@0.2.10": "MIT" };

type Entry = { readonly version?: string; readonly license?: string; readonly dev?: boolean; readonly devOptional?: boolean };

function shipped(): readonly { readonly name: string; readonly license: string | undefined }[] {
  const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true)
    .map(([path, { version, license }]) => {
      const name = `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
      return { name, license: license ?? known[name] };
    });
}

/** SPDX: all of those joined by AND, one of those joined by OR. */
function isAccepted(expression: string): boolean {
  return expression
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => accepted.has(licence.trim())));
}

test("every npm package that runs in the service has a licence that was looked at", () => {
  const packages = shipped();
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(({ license }) => license === undefined || !isAccepted(license));
  expect(others).toEqual([]);
});

test("README names the packages whose source has to be passed on", () => {
  const readme = readFileSync("README.md", "utf8");
  const families = shipped()
    .filter(({ license = "" }) => /LGPL|MPL/.test(license))
    .map(({ name }) => (name.startsWith("@img/sharp") ? "libvips" : name.replace(/@[^@]*$/, "")));
  for (const family of new Set(families)) expect(readme).toContain(family);
});

test("a licence that nobody looked at is told, alone, in a choice and beside others", () => {
  expect(["GPL-3.0", "SEE LICENSE IN x", "MIT AND GPL-3.0"].map(isAccepted)).toEqual([false, false, false]);
  expect(["(MIT OR GPL-3.0)", "Apache-2.0 AND LGPL-3.0-or-later AND MIT"].map(isAccepted)).toEqual([true, true]);
});
