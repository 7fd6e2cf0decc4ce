import { describe, expect, it } from "vitest";
import { decodeCodePages, namesCodePage } from "#services/conversion/inspectors/inside/rtf-code-pages.ts";

const decoded = (rtf: string): string => [...decodeCodePages(Buffer.from(rtf, "latin1"))].join("");
const head = String.raw`{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset204 Arial;}{\f1\fcharset0 Arial;}{\f2\fcharset128 Gothic;}}`;
const bodyOf = (body: string): string => decoded(`${head}${body}}`).slice(head.length, -1);

describe("RTF in code pages", () => {
  it("is told from one that needs nothing", () => {
    expect(namesCodePage(Buffer.from(head))).toBe(true);
    expect(
      namesCodePage(Buffer.from(String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset2 Symbol;}} caf\'e9}`)),
    ).toBe(false);
  });

  it("is read by the document's page, by the font's, and by the font of the group around", () => {
    expect(bodyOf(String.raw`\f0\'cf\'f0 {\f1 caf\'e9} \'cf`)).toBe(String.raw`\f0 Пр {\f1 caf\'e9} П`);
    expect(decoded(String.raw`{\rtf1\ansi\ansicpg1253 \'c1}`)).toBe(String.raw`{\rtf1\ansi\ansicpg1253 Α}`);
    expect(decoded(String.raw`{\rtf1\mac \'8e}`)).toBe(String.raw`{\rtf1\mac é}`);
    expect(bodyOf(String.raw`\f2\'83\'5d\plain\'cf`)).toBe(String.raw`\f2 ゾ\plain П`);
  });

  it("puts letters of two bytes together, however their second byte is written", () => {
    expect(bodyOf(String.raw`\f2 \'83]\'83\'5dx`)).toBe(String.raw`\f2 ゾゾx`);
    expect(bodyOf(`\\f2 \\'83\r\n\\'5d\\'83\\\\`)).toBe(String.raw`\f2 ゾソ`);
    expect(bodyOf(String.raw`\f2 \'5c\'7b`)).toBe(String.raw`\f2 \\\{`);
  });

  it("leaves what stands for Unicode to readers that know it", () => {
    expect(bodyOf(String.raw`\f0\u1055\'cf\'cf`)).toBe(String.raw`\f0\u1055\'cfП`);
    expect(bodyOf(String.raw`\f2{\uc2\u12478\'83\'5d\'83\'5d}`)).toBe(String.raw`\f2{\uc2\u12478\'83\'5dゾ}`);
  });

  it("takes bytes that stand for themselves, and leaves binary data out", () => {
    expect(bodyOf("\\f0 \xcf\xf0")).toBe(String.raw`\f0 Пр`);
    expect(decoded(Buffer.from(`${head}\\f0 Пр}`).toString("latin1"))).toBe(`${head}\\f0 Пр}`);
    expect(bodyOf(`{\\pict\\bin5 }}{\xff\\x}`)).toBe(String.raw`{\pictx}`);
  });

  it("gives up nothing of what is long, deep or broken off", () => {
    const long = String.raw`\'cf`.repeat(200_000);
    const pieces = [...decodeCodePages(Buffer.from(`${head}\\f0${long}`, "latin1"))];
    expect(pieces.join("")).toBe(`${head}\\f0 ${"П".repeat(200_000)}`);
    const deep = "{".repeat(20_000) + "}".repeat(20_001);
    expect(decoded(deep)).toBe(deep);
    for (const end of ["\\", String.raw`\'`, String.raw`\f2\'83`, "\\bin9999999999 x"]) expect(() => decoded(head + end)).not.toThrow();
  });
});
