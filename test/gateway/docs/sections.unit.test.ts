import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renewSections, sections } from "#gateway/docs/sections.ts";
import { errorTable } from "#kit/errors.ts";
import { settingTable } from "#kit/settings.ts";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

test("the README has every table as `npm run docs` writes it", () => {
  for (const name of Object.keys(sections)) expect(readme).toContain(`<!-- ${name}:begin -->`);
  expect(readme).toBe(renewSections(readme));
});

test("the tables tell every setting and every error", () => {
  for (const name of Object.keys(settingTable)) expect(readme).toContain(`| \`${name}\` |`);
  for (const [code, { http }] of Object.entries(errorTable)) expect(readme).toContain(`| ${http} | \`${code}\` |`);
});

test("what is between the markers is replaced and nothing else, and a text without markers stays", () => {
  const text = "before\n<!-- errors:begin -->\nold\n<!-- errors:end -->\nafter\n";
  const renewed = renewSections(text);
  expect(renewed).toMatch(/^before\n<!-- errors:begin -->\n\| Status \|/);
  expect(renewed).toMatch(/\|\n<!-- errors:end -->\nafter\n$/);
  expect(renewed).not.toContain("old");
  expect(renewSections(renewed)).toBe(renewed);
  expect(renewSections("nothing here")).toBe("nothing here");
});
