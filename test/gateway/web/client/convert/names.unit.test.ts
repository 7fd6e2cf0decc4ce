import { create } from "content-disposition";
import { expect, it } from "vitest";
import { fileNameOf, isShowable, uniqueNames } from "#client/convert/names.ts";

it("keeps files of the same name apart, ignoring case", () => {
  const unique = uniqueNames();
  expect(["a.pdf", "A.pdf", "a.pdf", "a (2).pdf", "noextension", "noextension", ".hidden"].map(unique)).toEqual([
    ...["a.pdf", "A (2).pdf", "a (3).pdf", "a (2) (2).pdf", "noextension", "noextension (2)", ".hidden"],
  ]);
});

it.each(["plain.pdf", "with space.pdf", 'quo"te.pdf', "Überblick für 中.pdf", "semi;colon.pdf", "100%.pdf"])(
  "reads %s back from its Content-Disposition header",
  (name) => {
    expect(fileNameOf(create(name))).toBe(name);
  },
);

it("reads no name from a header without one", () => {
  expect([null, "", "attachment", "inline"].map(fileNameOf)).toEqual([undefined, undefined, undefined, undefined]);
});

it("does not preview results too large for a tab's memory", () => {
  expect([0, 64_000_000, 64_000_001, 2 ** 40].map(isShowable)).toEqual([true, true, false, false]);
});
