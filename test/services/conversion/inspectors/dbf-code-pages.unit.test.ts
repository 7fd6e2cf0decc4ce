import { describe, expect, it } from "vitest";
import { tableEncodingOf } from "#services/conversion/inspectors/inside/dbf-code-pages.ts";
import { sourceOf } from "#test/services/conversion/domain/guards/refused.ts";
import { dbaseTable } from "#test/services/conversion/engines/data/dbase-table.ts";

const encodingOf = (content: Buffer) => tableEncodingOf(sourceOf(content));
const bytes = (hex: string) => Buffer.from(hex, "hex");

describe("the encoding of a dBase table", () => {
  it("is the one named in its header", async () => {
    expect(await encodingOf(dbaseTable(0x57, "NAME", [bytes("4772fcdf65")]))).toEqual({ number: "1" });
    expect(await encodingOf(dbaseTable(0xc9, "NAME", [bytes("cff0e8e2e5f2")]))).toEqual({ number: "34" });
  });

  it.each([
    ["Привет in a DOS code page", "8fe0a8a2a5e2", { number: "30", guess: "ibm866" }],
    ["Привет in a Windows code page", "cff0e8e2e5f2", { number: "34", guess: "windows-1251" }],
    ["Grüße in a DOS code page", "477281e165", { number: "4", guess: "ibm850" }],
    ["Café in a DOS code page", "43616682", { number: "4", guess: "ibm850" }],
    ["Grüße in a Windows code page", "4772fcdf65", { number: "1", guess: "windows-1252" }],
    ["Grüße in UTF-8", "4772c3bcc39f65", { number: "76" }],
    ["ASCII letters", "4772", undefined],
  ])("is detected from its letters if the header names none: %s", async (_letters, hex, told) => {
    for (const driver of [0, 0x60]) expect(await encodingOf(dbaseTable(driver, "NAME", [bytes(hex), bytes("61")]))).toEqual(told);
  });

  it("is undefined for a file that ends within its header", async () => {
    for (const length of [0, 10, 31]) expect(await encodingOf(dbaseTable(0, "NAME", []).subarray(0, length))).toBeUndefined();
  });
});
