import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { TestPage } from "#test/harness/browser.ts";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** axe findings severe enough to keep somebody from using the page: rule and element. */
export async function seriousFindings(page: TestPage): Promise<string[]> {
  return findings(page, ["serious", "critical"]);
}

/** All axe findings. The debugger injects axe, bypassing the page's content policy. */
export async function findings(page: TestPage, impacts = ["minor", "moderate", "serious", "critical"]): Promise<string[]> {
  await page.evaluate(axe);
  const results: AxeResults = await page.evaluate("axe.run({ resultTypes: ['violations'] })");
  if (results.passes.length < 5) throw new Error("axe looked at nothing");
  return results.violations
    .filter(({ impact }) => impacts.includes(impact ?? ""))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`));
}
