import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorTable } from "#contract/errors.ts";
import { formatPageSectionsOf, provenRoutes, provenSectionsOf } from "#gateway/docs/proven.ts";
import { renewSections, sections } from "#gateway/docs/sections.ts";
import { settingTable } from "#kit/settings.ts";
import { wordOf } from "#services/catalogue/domain/fidelity-rule.ts";
import { parseProofFile } from "#services/catalogue/domain/proof.ts";
import { profileText } from "#services/conversion/sandbox/container-profile.ts";

const proofFile = new URL("../../../services/catalogue/proof.tsv", import.meta.url);
const proof = parseProofFile(existsSync(proofFile) ? readFileSync(proofFile, "utf8") : "");
const routes = provenRoutes(proof);
const page = readFileSync(new URL("../../../services/catalogue/FORMATS.md", import.meta.url), "utf8");
const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const reference = readFileSync(new URL("../../../services/REFERENCE.md", import.meta.url), "utf8");

test("README.md and REFERENCE.md match the output of `npm run docs`", () => {
  for (const name of Object.keys(sections)) expect(readme + reference).toContain(`<!-- ${name}:begin -->`);
  expect(readme).toBe(renewSections(readme));
  expect(readme).toBe(renewSections(readme, provenSectionsOf(routes)));
  expect(reference).toBe(renewSections(reference));
});

test("FORMATS.md matches the proof file", () => {
  if (proof.rows.length > 0) expect(page).toBe(renewSections(page, formatPageSectionsOf(proof, routes)));
  for (const name of Object.keys(formatPageSectionsOf(proof, routes))) expect(page).toContain(`<!-- ${name}:begin -->`);
});

test("the containers' seccomp profile matches the output of `npm run docs`", () => {
  expect(readFileSync(new URL("../../../.docker/seccomp.json", import.meta.url), "utf8")).toBe(profileText());
});

test("every rating in the proof file follows from its figures", () => {
  const wrong = proof.rows.filter(({ word, figures, reader }) => word !== wordOf(figures, reader));
  expect(wrong).toEqual([]);
});

test("the reference lists every setting and every error", () => {
  for (const name of Object.keys(settingTable)) expect(reference).toContain(`| \`${name}\` |`);
  for (const [code, { http }] of Object.entries(errorTable)) expect(reference).toContain(`| ${http} | \`${code}\` |`);
});

test("replaces only what is between markers, and leaves text without markers unchanged", () => {
  const text = "before\n<!-- errors:begin -->\nleft over\n<!-- errors:end -->\nafter\n";
  const renewed = renewSections(text);
  expect(renewed).toMatch(/^before\n<!-- errors:begin -->\n\| Status \|/);
  expect(renewed).toMatch(/\|\n<!-- errors:end -->\nafter\n$/);
  expect(renewed).not.toContain("left over");
  expect(renewSections(renewed)).toBe(renewed);
  expect(renewSections("nothing here")).toBe("nothing here");
});
