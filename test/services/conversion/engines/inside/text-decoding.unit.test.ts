import { describe, expect, it } from "vitest";
import { decodeText } from "#services/conversion/engines/inside/text-decoding.ts";

const texts = ["name,ort\nJürgen,Köln\n", "имя;город\nИван;Москва\n", "名前,市\n太郎,東京\n", "a,b\n😀,\u3000x\n"];

describe("UTF-16 text without a byte order mark", () => {
  it.each(texts)("is decoded: %j", (text) => {
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    const notes = new Map();
    expect([decodeText(little, "auto", notes), decodeText(big, "auto", notes)]).toEqual([text, text]);
    expect(notes.size).toBe(0);
  });

  it.each([
    ["binary numbers", Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => index).buffer)],
    ["text with a NUL", Buffer.from("Grüße\0 dort")],
    ["lines with NULs", Buffer.from("a,b\n1\0,2\n3,4\n".repeat(9))],
    ["unpaired surrogates", Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 0xd800 : 0x20)).buffer)],
  ])("is not detected in %s", (_name, bytes) => {
    expect(() => decodeText(bytes, "auto", new Map())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
