import { describe, expect, it } from "vitest";
import { inLogicalOrder } from "#services/conversion/engines/inside/pdf/ligatures.ts";

const ops = { showText: 44 };
/** Glyphs as painted, from left to right. */
const painted = (...glyphs: readonly string[]) => ({ fnArray: [44], argsArray: [[glyphs.map((unicode) => ({ unicode }))]] });
/** A line as pdf.js returns it: all characters reversed. */
const turned = (...glyphs: readonly string[]) => ({ str: [...glyphs.join("")].reverse().join("") });
const textsOf = (items: readonly { readonly str: string }[], list: ReturnType<typeof painted>) =>
  inLogicalOrder(items, list, ops).map(({ str }) => str);

describe("letters of a ligature glyph", () => {
  it("are put in reading order: lam with alef in المشكلات and الإنتاجية", () => {
    const problems = ["ت", "لا", "ك", "ش", "م", "ل", "ا"];
    expect(textsOf([turned(...problems)], painted(...problems))).toEqual(["المشكلات"]);
    const output = ["ة", "ي", "ج", "ا", "ت", "ن", "لإ", "ا"];
    expect(textsOf([turned(...output)], painted(...output))).toEqual(["الإنتاجية"]);
    expect(textsOf([{ str: "الق" }], painted("ق", "ﻻ"))).toEqual(["لاق"]);
  });

  it("are put in reading order next to presentation forms: lam with khah in الخطوط", () => {
    const fonts = ["ﻁ", "ﻮ", "ﻄ", "ﳋ", "ا"];
    expect(textsOf([{ str: "اخلﻄﻮﻁ" }], painted(...fonts))).toEqual(["الخطوط"]);
  });

  it("do not affect the article, whose two letters have a glyph each", () => {
    const house = ["ت", "ي", "ب", "ل", "ا"];
    const problems = ["ت", "لا", "ك", "ش", "م"];
    expect(textsOf([turned(...house), { str: "and" }, turned(...problems)], painted(...house, "a", ...problems))).toEqual([
      "البيت",
      "and",
      "مشكلات",
    ]);
  });

  it("are ignored in a line with another order, and found again in the next line", () => {
    const problems = ["ت", "لا", "ك"];
    expect(textsOf([{ str: "بتث" }, turned(...problems)], painted("ت", "ب", "ث", ...problems))).toEqual(["بتث", "كلات"]);
  });
});
