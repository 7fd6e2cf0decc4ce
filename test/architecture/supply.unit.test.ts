/** Dependencies are pinned, immutable, and under a licence that requires only attribution. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

type Package = {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
};

async function readJson(name: string) {
  return JSON.parse(await readFile(name, "utf8"));
}

async function readLock(): Promise<[string, Package][]> {
  const lock: { packages: Record<string, Package> } = await readJson("package-lock.json");
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  expect(packages.length).toBeGreaterThan(100);
  return packages;
}

const permissive = new Set([
  "MIT",
  "MIT-0",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "0BSD",
  "Unlicense",
  "Python-2.0",
  "CC0-1.0",
  "BlueOak-1.0.0",
  "Zlib",
]);

/** Used unmodified as separate, replaceable files, which is all that these licences require; or tools that are not part of Filemill. */
const exceptions: readonly { readonly path: RegExp; readonly license: string | undefined; readonly reason: string }[] = [
  { path: /^@img\/sharp-/, license: "LGPL-3.0-or-later", reason: "libvips, a shared library beside sharp" },
  { path: /^occt-import-js$/, license: "LGPL-2.1", reason: "Open CASCADE, a WebAssembly module of its own" },
  { path: /^ical\.js$/, license: "MPL-2.0", reason: "a package of its own, used unchanged" },
  { path: /^axe-core$/, license: "MPL-2.0", reason: "the test of what screen readers find" },
  { path: /^lightningcss/, license: "MPL-2.0", reason: "part of the test runner" },
  { path: /^combine-errors$/, license: undefined, reason: "MIT by its Readme; part of the tus client, in tests alone" },
  { path: /^async$/, license: undefined, reason: "MIT by its LICENSE file; its package.json is older than the field" },
];

/** The terms of an SPDX expression, without its alternatives if one is permissive. */
function termsOf(license: string | undefined): readonly (string | undefined)[] {
  if (license === undefined) return [undefined];
  const alternatives = license.replaceAll(/[()]/g, "").split(" OR ");
  const fine = alternatives.find((each) => each.split(" AND ").every((term) => permissive.has(term)));
  return fine === undefined ? license.replaceAll(/[()]/g, "").split(/ AND | OR /) : [];
}

describe("npm packages", () => {
  it("are pinned by integrity hash, independent of the registry", async () => {
    const packages = await readLock();
    expect(packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "")).map(([path]) => path)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it("are requested in exact versions that match the lockfile", async () => {
    const { dependencies, devDependencies, optionalDependencies } = await readJson("package.json");
    const asked = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const locked = new Map(await readLock());
    expect(asked.filter(([, version]) => !/^(?:npm:.+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(asked.filter(([name, version]) => locked.get(`node_modules/${name}`)?.version !== version.replace(/^npm:.+@/, ""))).toEqual([]);
  });

  it("run no install scripts unless package.json decides on each", async () => {
    const { allowScripts } = await readJson("package.json");
    const scripted = (await readLock()).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const undecided = scripted.map(([path]) => path.replace(/^.*node_modules\//, "")).filter((name) => allowScripts[name] !== false);
    expect(undecided).toEqual([]);
  });

  it("have permissive licences, except those listed here", async () => {
    const used = new Set<string>();
    const others = (await readLock()).flatMap(([path, { license }]) => {
      const name = path.replace(/^.*node_modules\//, "");
      return termsOf(license)
        .filter((term) => term === undefined || !permissive.has(term))
        .filter((term) => {
          const exception = exceptions.find((each) => each.path.test(name) && each.license === term);
          if (exception !== undefined) used.add(exception.reason);
          return exception === undefined;
        })
        .map((term) => `${name}: ${term}`);
    });
    expect(others).toEqual([]);
    expect([...used].toSorted()).toEqual(exceptions.map(({ reason }) => reason).toSorted());
  });
});
