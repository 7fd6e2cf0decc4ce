import { describe, expect, it } from "vitest";
import { decodeText } from "#services/conversion/engines/inside/text-decoding.ts";

const texts = ["name,ort\nJürgen,Köln\n", "имя;город\nИван;Москва\n", "名前,市\n太郎,東京\n", "a,b\n😀,\u3000x\n"];

describe("text in UTF-16 without a mark", () => {
  it.each(texts)("is read: %j", (text) => {
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    const notes = new Map();
    expect([decodeText(little, "auto", notes), decodeText(big, "auto", notes)]).toEqual([text, text]);
    expect(notes.size).toBe(0);
  });

  it.each([
    ["numbers", Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => index).buffer)],
    ["text with a zero", Buffer.from("Grüße\0 dort")],
    ["lines with zeros", Buffer.from("a,b\n1\0,2\n3,4\n".repeat(9))],
    ["halves of pairs", Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 0xd800 : 0x20)).buffer)],
  ])("is not found in %s", (_name, bytes) => {
    expect(() => decodeText(bytes, "auto", new Map())).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
