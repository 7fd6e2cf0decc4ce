import { expect, it } from "vitest";
import type { PageContent, Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { withoutTypewriter } from "#services/conversion/engines/inside/pdf/typewritten.ts";
import { runAt } from "./letters.ts";

const pageOf = (...lines: readonly string[]) =>
  ({ runs: lines.map((text, index) => runAt(text, 0, 12 * index, { isMono: true })) }) as unknown as PageContent;
const isMono = (pages: readonly PageContent[]) => pages.flatMap(({ runs }) => runs).some(({ look }: Run) => look.isMono);

const full = "a line of a letter that goes on to the end of the page";

it("treats a typewritten letter as text", () => {
  expect(isMono(withoutTypewriter([pageOf(full, full, full, "Yours")]))).toBe(false);
});

it("treats a printed program as code", () => {
  expect(isMono(withoutTypewriter([pageOf("for (;;) {", "  a();", "  b();", "}", "c();", "d();", "e();", full)]))).toBe(true);
});

it("treats code among other text as code", () => {
  const prose = pageOf(full, full, full);
  const other = { runs: prose.runs.map((run) => ({ ...run, look: { ...run.look, isMono: false } })) } as unknown as PageContent;
  expect(isMono(withoutTypewriter([other, pageOf(full, full)]))).toBe(true);
});
