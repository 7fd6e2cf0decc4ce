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

describe("text of lines in several encodings", () => {
  const western = Buffer.from("Müller;Straße 1\nJérôme;Forêt 2\n", "latin1");
  const unicode = Buffer.from("Zoé;Łódź 3\n");

  it.each([
    [
      "ends in UTF-8",
      Buffer.concat([Buffer.from("name;ort\n"), western, unicode]),
      "name;ort\nMüller;Straße 1\nJérôme;Forêt 2\nZoé;Łódź 3\n",
    ],
    ["starts in UTF-8", Buffer.concat([unicode, western]), "Zoé;Łódź 3\nMüller;Straße 1\nJérôme;Forêt 2\n"],
    [
      "has one line of another encoding",
      Buffer.from(`${unicode.toString("latin1")}Ren\xe9;\n${unicode.toString("latin1")}`, "latin1"),
      "Zoé;Łódź 3\nRené;\nZoé;Łódź 3\n",
    ],
  ])("is decoded line by line if it %s", (_name, bytes, wanted) => {
    const notes = new Map();
    expect(decodeText(bytes, "auto", notes)).toBe(wanted);
    expect(notes.get("ENCODING_GUESSED")).toContain("lines that are not UTF-8");
  });

  it("is not taken for UTF-8 in a line of Chinese that could be", () => {
    const chinese = Buffer.from(
      "c4c7ccecced2c3c7d2bbc6f0c8a5cdbccae9b9ddbfb4cae92cc8bbbaf3bbd8bcd2b3d4b7b90ac1aacda80abdf1ccecb5c4ccecc6f8badcbac32cced2c3c7c3f7ccecd4d9c0b4b1b1bea90a",
      "hex",
    );
    const notes = new Map();
    expect(decodeText(chinese, "auto", notes)).toBe("那天我们一起去图书馆看书,然后回家吃饭\n联通\n今天的天气很好,我们明天再来北京\n");
  });

  it("is not taken for UTF-8 if many lines of ASCII follow such a line of Chinese", () => {
    const plain = "number,1\n".repeat(50);
    const chinese = Buffer.concat([
      Buffer.from("c4a30a", "hex"),
      Buffer.from(plain),
      Buffer.from("c4c7ccecced2c3c7d2bbc6f0c8a5cdbccae9b9ddbfb4cae92cc8bbbaf3bbd8bcd2b3d4b7b90a", "hex"),
    ]);
    expect(decodeText(chinese, "auto", new Map())).toBe(`模\n${plain}那天我们一起去图书馆看书,然后回家吃饭\n`);
  });
});
