import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canHave, formatOf } from "#formats/index.ts";
import { expectationsOf, unexpectedCodes } from "#services/conversion/domain/expectations.ts";
import { noteTable } from "#services/conversion/domain/notes.ts";
import { leftOutNoteOf } from "#services/conversion/domain/parts.ts";
import { engines } from "#services/conversion/engines/registry.ts";

const folder = new URL("../../../../services/conversion/engines/", import.meta.url).pathname;

/** Every quoted code in the engines' sources, where notes are raised. */
async function raisedCodes(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(ts|mjs|py)$/.test(name)) continue;
    const text = await readFile(join(folder, name), "utf8");
    for (const [, code = ""] of text.matchAll(/(?:\bnote\(|(?:notes\.set|noteOnce|noteAlso|addNote)\((?:\s*notes,)?)\s*"([A-Z_]+)"/g))
      found.add(code);
    // The sharp engine chooses between two codes.
    for (const [, code = ""] of text.matchAll(/\["([A-Z_]+)", "(?:frame|page)"\]/g)) found.add(code);
  }
  return found;
}

describe("declared notes", () => {
  const declared = new Map(
    engines.map((engine) => [engine.id, new Set(engine.hops.flatMap((hop) => expectationsOf(hop).map(({ code }) => code)))]),
  );

  it("include every code that the engine sources raise, except unexpected ones", async () => {
    const all = new Set([...declared.values()].flatMap((codes) => [...codes]));
    const raised = await raisedCodes();
    expect(raised.size).toBeGreaterThan(10);
    expect([...raised].filter((code) => !(code in noteTable))).toEqual([]);
    expect(
      [...raised].filter((code) => !all.has(code as keyof typeof noteTable) && !unexpectedCodes.has(code as keyof typeof noteTable)),
    ).toEqual([]);
  });

  it("include no code that no source raises", async () => {
    const parts = (["page", "sheet", "track"] as const).map(leftOutNoteOf);
    // Notes about picture metadata are raised by a common rule, not by the engines.
    const raised = new Set<string>([...(await raisedCodes()), ...parts, "METADATA_DROPPED", "PLACE_KEPT"]);
    for (const [id, codes] of declared)
      expect(
        [...codes].filter((code) => !raised.has(code)),
        id,
      ).toEqual([]);
  });

  it("are unique per hop and each one sentence in the present tense", () => {
    for (const { id, hops } of engines) {
      for (const hop of hops) {
        const list = expectationsOf(hop);
        expect(new Set(list.map(({ code, option }) => `${code} ${option}`)).size, `${id} ${hop.from} ${hop.to}`).toBe(list.length);
        for (const { message } of list) expect(message).toMatch(/^[A-Z].*\.$/);
        for (const { message } of list) expect(message).not.toMatch(/\b(was|were)\b/);
      }
    }
  });

  it("depend only on options of their hop", () => {
    for (const { hops } of engines) {
      for (const hop of hops) {
        const names = new Set(hop.options.map(({ name }) => name));
        for (const { option } of hop.expects ?? []) if (option !== undefined) expect([...names]).toContain(option);
      }
    }
  });
});

describe("format traits", () => {
  it.each([
    ["png", "alpha", true],
    ["jpg", "alpha", false],
    ["svg", "alpha", true],
    ["gif", "movement", true],
    ["png", "movement", false],
    ["jpg", "orientation", true],
    ["heic", "orientation", false],
    ["pdf", "pages", true],
    ["png", "pages", false],
    ["xlsx", "sheets", true],
    ["csv", "sheets", false],
    ["txt", "pictures", false],
  ] as const)("%s %s: %s", (format, trait, expected) => {
    expect(formatOf(format)).toBeDefined();
    expect(canHave(format, trait)).toBe(expected);
  });
});
