/** With a backtracking pattern, a hundred bytes can stop a process: every pattern must be linear in the length of its text. */
import { describe, expect, it, test } from "vitest";
import { engines } from "#services/conversion/engines/registry.ts";
import { backtrackingOf } from "./backtracking.ts";
import { builtPatterns } from "./built-patterns.ts";
import { readTree } from "./source-tree.ts";

const sources = readTree("services", "gateway");
const found = sources.flatMap(({ path, patterns }) => patterns.map((pattern) => ({ path, ...pattern })));

test("every pattern is linear", () => {
  const written = found.flatMap(({ path, line, source, flags }) =>
    source === undefined ? [] : [{ where: `${path}:${line}`, source, flags }],
  );
  expect(written.length).toBeGreaterThan(500);
  const wrong = written
    .map((pattern) => ({ ...pattern, backtracking: backtrackingOf(pattern.source, pattern.flags) }))
    .filter(({ backtracking }) => backtracking !== undefined)
    .map(({ where, source, flags, backtracking }) => `${where}: /${source}/${flags} is ${backtracking}`);
  expect(wrong).toEqual([]);
});

test("patterns that are built at run time are listed and linear", () => {
  const built = Map.groupBy(
    found.filter(({ source }) => source === undefined),
    ({ path }) => path,
  );
  expect([...built].map(([path, patterns]) => `${path}: ${patterns.length}`).toSorted()).toEqual(
    builtPatterns.map(({ path, looks }) => `${path}: ${looks.length}`),
  );
  const looks = builtPatterns.flatMap((entry) => entry.looks);
  expect(looks.filter((look) => backtrackingOf(look, "m") !== undefined)).toEqual([]);
});

test("patterns of options are linear", () => {
  const options = engines.flatMap(({ hops }) => hops.flatMap((hop) => hop.options));
  const patterns = new Set(options.flatMap((option) => (option.type === "string" ? [option.pattern] : [])));
  expect(patterns.size).toBeGreaterThan(5);
  expect([...patterns].filter((pattern) => backtrackingOf(`^(?:${pattern})$`, "") !== undefined)).toEqual([]);
});

describe("the backtracking check", () => {
  it.each([
    ["^P1\\s+(#[^\\n]*\\s+)*\\d+\\s", ""],
    ["^<\\?xml[^>]*>\\s*(<!--[\\s\\S]*?-->\\s*)*<MPD\\b", "i"],
    ["^(a+)+$", ""],
    ["^(a|a)*$", ""],
    ["^(a|[ab])*c", ""],
    ["^(a*)*b", ""],
    ["^(?:\\w+\\s?)+$", ""],
    ["^([a-z0-9]+)*@", "i"],
  ])("finds that /%s/%s is exponential", (source, flags) => {
    expect(backtrackingOf(source, flags)).toBe("exponential");
  });

  it.each([
    ["<(?:\\w+:)?svg\\b[^>]*>", ""],
    ["\\s+$", ""],
    ["^[.\\s]+|[.\\s]+$", "g"],
    ["<!--[\\s\\S]*?-->", "g"],
    ["^.*,.*,.*$", ""],
    ["^\\d+\\.?\\d*$", ""],
    ["^\\s*[-+.\\deE]+?\\s*=", "m"],
    ["a.{0,5000}b", "s"],
    ["^\\S+@\\S+$", ""],
    ["x(?:.*y)?", "g"],
    ["^(.*)\\1$", ""],
    // Word boundaries are ignored.
    ["\\bx+\\b", ""],
  ])("finds that /%s/%s is or may be polynomial", (source, flags) => {
    expect(backtrackingOf(source, flags)).toBe("polynomial");
  });

  it.each([
    ["(?=.*a).", ""],
    ["(?<!\\s*a)b", ""],
  ])("finds that /%s/%s has an unbounded look-around", (source, flags) => {
    expect(backtrackingOf(source, flags)).toBe("look-around without a bound");
  });

  it.each([
    ["^\\s*[\\w-]+(\\.[\\w-]+)*\\s*$", ""],
    ["^(\\d+:)?(\\d+:)?\\d+$", ""],
    ["<[^<>]*>", ""],
    ["^[^@]+@[^@]+$", ""],
    ["[\\s\\S]*$", ""],
    ["^(.*)$", "m"],
    ["a*", "g"],
    ['"(?:[^"\\\\]|\\\\.)*"$', "y"],
    ["(?<=[:,]\\s{0,9})x", ""],
    ["^(?:a{0,3}b)*$", ""],
    ["\\w+(?<!x)", "y"],
  ])("accepts /%s/%s", (source, flags) => {
    expect(backtrackingOf(source, flags)).toBe(undefined);
  });
});
