import { expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import { paragraphOf, vocabularyOf } from "#services/conversion/engines/inside/pdf/inlines.ts";

const look = { isBold: false, isItalic: false, isMono: false };
const line = (text: string, baseline: number): Run[] => [
  {
    ...{ text, x: 0, baseline, width: text.length * 5, size: 10, look, font: undefined },
    ...{ endsLine: true, mark: undefined, href: undefined },
  },
];

it.each([
  ["a well-", "known fact", "a well-known fact"],
  ["html-event-", "handler", "html-event-handler"],
  ["an impor-", "tant fact", "an important fact"],
  ["the high-", "lights, highlights", "the highlights, highlights"],
])("joins %j and %j into %j", (first, second, whole) => {
  const lines = [line(first, 0), line(second, 12)];
  expect(paragraphOf(lines, vocabularyOf(lines.flat(), false))).toEqual([{ text: whole }]);
});
