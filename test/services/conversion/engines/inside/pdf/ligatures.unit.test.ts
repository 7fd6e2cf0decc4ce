import { describe, expect, it } from "vitest";
import { inLogicalOrder } from "#services/conversion/engines/inside/pdf/ligatures.ts";

const ops = { showText: 44 };
/** Glyphs as painted, from left to right. */
const painted = (...glyphs: readonly string[]) => ({ fnArray: [44], argsArray: [[glyphs.map((unicode) => ({ unicode }))]] });
/** A line as pdf.js returns it: all characters reversed. */
const turned = (...glyphs: readonly string[]) => ({ str: [...glyphs.join("")].reverse().join("") });
const textsOf = (items: readonly { readonly str: string }[], list: ReturnType<typeof painted>) =>
  inLogicalOrder(items, list, ops).map(({ str }) => str);

describe("letters that one glyph shows", () => {
  it("are read in their order: lam with alef of المشكلات and الإنتاجية", () => {
    const problems = ["ت", "لا", "ك", "ش", "م", "ل", "ا"];
    expect(textsOf([turned(...problems)], painted(...problems))).toEqual(["المشكلات"]);
    const output = ["ة", "ي", "ج", "ا", "ت", "ن", "لإ", "ا"];
    expect(textsOf([turned(...output)], painted(...output))).toEqual(["الإنتاجية"]);
    expect(textsOf([{ str: "الق" }], painted("ق", "ﻻ"))).toEqual(["لاق"]);
  });

  it("are read in their order beside letters in the form that they have within a word: lam with khah of الخطوط", () => {
    const fonts = ["ﻁ", "ﻮ", "ﻄ", "ﳋ", "ا"];
    expect(textsOf([{ str: "اخلﻄﻮﻁ" }], painted(...fonts))).toEqual(["الخطوط"]);
  });

  it("leave the article alone, whose two letters have a glyph each", () => {
    const house = ["ت", "ي", "ب", "ل", "ا"];
    const problems = ["ت", "لا", "ك", "ش", "م"];
    expect(textsOf([turned(...house), { str: "and" }, turned(...problems)], painted(...house, "a", ...problems))).toEqual([
      "البيت",
      "and",
      "مشكلات",
    ]);
  });

  it("are left as they are where the line has its letters in another order, and found again in the next", () => {
    const problems = ["ت", "لا", "ك"];
    expect(textsOf([{ str: "بتث" }, turned(...problems)], painted("ت", "ب", "ث", ...problems))).toEqual(["بتث", "كلات"]);
  });
});
