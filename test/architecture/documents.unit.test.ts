/** Paths named in documents and comments exist. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pathsBelow, root } from "./source-tree.ts";

const paths = ["package.json", "README.md", "CHANGELOG.md", ...pathsBelow(["services", "gateway", "proto", "test", "gen", ".docker"])];
const documents = paths.filter((path) => path.endsWith(".md") && !path.startsWith("test/corpus/"));
const decisions = new Set(paths.flatMap((path) => /^services\/decisions\/(\d{4})-/.exec(path)?.[1] ?? []));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** One of our files by its extension: other names with dots are domains, users' files, or files in DATA_DIR. */
const ownFile = /^[\w./*-]+\.(?:ts|tsx|mjs|py|proto|tsv)$/;
const ownFolder = /^(?:(?:services|gateway|proto|test|gen)\/)[\w./-]*$/;

/** Whether a path, possibly shortened for readers of that place, denotes a file or folder. */
function isThere(named: string): boolean {
  const escaped = named.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll("*", "[^/]*");
  const wanted = new RegExp(`(?:^|/)${escaped}(?:[/.]|$)`);
  return paths.some((path) => wanted.test(path));
}

function missingOf(path: string, named: Iterable<string>): string[] {
  return [...named].filter((name) => (ownFile.test(name) || ownFolder.test(name)) && !isThere(name)).map((name) => `${path}: ${name}`);
}

test("paths in documents exist", () => {
  expect(documents.length).toBeGreaterThan(70);
  // A superseded decision may name files that no longer exist.
  const valid = documents.filter((path) => !/^# \d+\. .*\n+(?:Superseded|Replaced) by /.test(textOf(path)) && path !== "CHANGELOG.md");
  const named = valid.map((path) => [path, [...textOf(path).matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name)] as const);
  expect(named.flatMap(([, names]) => names).filter((name) => ownFile.test(name)).length).toBeGreaterThan(50);
  expect(
    named.flatMap(([path, names]) =>
      missingOf(
        path,
        names.filter((name) => !name.startsWith("DATA_DIR/")),
      ),
    ),
  ).toEqual([]);
});

test("links between documents resolve", () => {
  const links = documents.flatMap((path) =>
    [...textOf(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) => ({ path, to })),
  );
  const inside = links.filter(({ to }) => !/^\w+:/.test(to));
  expect(inside.length).toBeGreaterThan(50);
  expect(inside.filter(({ path, to }) => !existsSync(join(root, dirname(path), to)))).toEqual([]);
});

test("files and decisions that comments refer to exist", () => {
  const sources = paths.filter((path) => /\.(?:ts|tsx|mjs|py|sh|proto)$/.test(path) && !/^(?:gen|test\/corpus)\//.test(path));
  const comments = sources.map((path) => [path, textOf(path).match(/(?:^|\s)(?:\/\/|\/?\*\*?|#) .*$/gm) ?? []] as const);
  const named = comments.map(([path, lines]) => {
    const names = lines.flatMap((line) => line.match(/(?<![\w/.#@-])(?:[\w-]+\/)+[\w-]+\.\w+/g) ?? []);
    return [path, names.filter((name) => !name.startsWith("DATA_DIR/"))] as const;
  });
  expect(named.flatMap(([, names]) => names).length).toBeGreaterThan(20);
  expect(named.flatMap(([path, names]) => missingOf(path, names))).toEqual([]);
  const numbers = comments.flatMap(([path, lines]) =>
    lines.flatMap((line) => [...line.matchAll(/\bdecisions? (\d+)/g)].map(([, number = ""]) => ({ path, number }))),
  );
  expect(numbers.length).toBeGreaterThan(30);
  expect(numbers.filter(({ number }) => !decisions.has(number.padStart(4, "0")))).toEqual([]);
});
