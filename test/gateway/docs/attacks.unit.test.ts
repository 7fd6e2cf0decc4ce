import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { attackSectionsOf } from "#gateway/docs/attacks.ts";
import { renewSections } from "#gateway/docs/sections.ts";
import { attacksInFront } from "#test/attacks/in-front-attacks.ts";
import { attacks, attacksOnTheDoor } from "#test/attacks/table.ts";

const root = new URL("../../../", import.meta.url);
const security = readFileSync(new URL("services/conversion/SECURITY.md", root), "utf8");
const results = JSON.parse(readFileSync(new URL("test/attacks/results.json", root), "utf8"));

test("results.json lists exactly the attacks of the suite, in order", () => {
  const files = attacks.map(({ id, engine, what, to, outcome }) => ({ id, engine, what, to: to.join(" "), outcome }));
  const door = attacksOnTheDoor.map(({ id, what, outcome }) => ({ id, engine: "door", what, to: "", outcome }));
  const front = attacksInFront.map(({ id, what }) => ({ id, engine: "front", what, to: "", outcome: "is quick" }));
  expect(results).toEqual([...files, ...front, ...door]);
});

test("SECURITY.md matches the output of `npm run docs`", () => {
  const sections = attackSectionsOf(results);
  for (const name of Object.keys(sections)) expect(security).toContain(`<!-- ${name}:begin -->`);
  expect(security).toBe(renewSections(security, sections));
  for (const { id } of attacks) expect(security).toContain(`| ${id} |`);
});

test("every path that SECURITY.md mentions exists", () => {
  const paths = [...security.matchAll(/`((?:test|services|gateway)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) expect(() => readFileSync(new URL(path, root)), path).not.toThrow();
});
