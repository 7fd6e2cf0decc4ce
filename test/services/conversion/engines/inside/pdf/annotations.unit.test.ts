import { expect, it } from "vitest";
import { type Annotation, writtenIn } from "#services/conversion/engines/inside/pdf/annotations.ts";
import { appearancesOf } from "#services/conversion/engines/inside/pdf/appearances.ts";

const field: Annotation = { id: "1R", subtype: "Widget", rect: [20, 20, 120, 40], fieldValue: "open sesame" };
const bare = { drawn: [], appearances: new Map<string, string>() };
const upright = [1, 0, 0, -1, 0, 100] as const;

it("shows asterisks for a password, as the page does", () => {
  expect(writtenIn([{ ...field, password: true }, field], upright, bare).map(({ text }) => text)).toEqual(["***********", "open sesame"]);
});

it("says what signatures and stamps show, line by line", () => {
  const ops = { beginAnnotation: 1, endAnnotation: 2, showText: 3, beginText: 4, setTextMatrix: 5, moveText: 6, nextLine: 7 };
  const glyphs = (text: string) => [[...text].map((unicode) => ({ unicode }))];
  const list = {
    fnArray: [3, 1, 4, 3, 5, 3, 2, 3],
    argsArray: [glyphs("page"), ["9R"], null, glyphs("Signed by"), [], glyphs("Ada"), null, glyphs("more")],
  };
  const appearances = appearancesOf(list, ops);
  expect(appearances).toEqual(new Map([["9R", "Signed by Ada"]]));
  const fields: Annotation[] = [
    { id: "9R", subtype: "Widget", fieldType: "Sig", rect: [20, 20, 120, 60] },
    { id: "8R", subtype: "Stamp", rect: [20, 20, 120, 60] },
  ];
  expect(writtenIn(fields, upright, { drawn: [], appearances }).map(({ text }) => text)).toEqual(["Signed by Ada"]);
});
