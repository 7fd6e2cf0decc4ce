import { expect, it } from "vitest";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";

async function csvOf(lines: readonly string[], encoding: "utf8" | "latin1" = "utf8", end = "\n") {
  const notes = new Map<string, string>();
  const question = { work: "data", from: "slk", to: "csv", options: {} };
  return { text: String(await convertData(Buffer.from([...lines, "E", ""].join(end), encoding), question, notes)), notes };
}

it("booleans, errors and days from 1904 are kept in tables of SYLK", async () => {
  const days = ["O;L;D;B;V4;K47", "P;PGeneral", "P;Pyyyy\\-mm\\-dd", "F;P1;FG0G;Y1;X1", "C;Y1;X1;K1"];
  const { text, notes } = await csvOf(["ID;PWXL;N;E", ...days, "C;X2;KTRUE", "C;X3;K#N/A", 'C;X4;K"a;;b"'], "utf8", "\r");
  expect(text).toBe("1904-01-02,TRUE,#N/A,a;b\r\n");
  expect([...notes]).toEqual([]);
});

it.each([
  ["UTF-8", "utf8", []],
  ["an older code page, which is noted", "latin1", ["ENCODING_GUESSED"]],
] as const)("letters of SYLK in %s are kept", async (_what, encoding, codes) => {
  const { text, notes } = await csvOf(["ID;PWXL;N;E", 'C;Y1;X1;K"Prix en été, café crème à la maison"'], encoding);
  expect(text).toBe('"Prix en été, café crème à la maison"\r\n');
  expect([...notes.keys()]).toEqual(codes);
});

it("quotation marks of SYLK are kept", async () => {
  expect((await csvOf(["ID;PWXL;N;E", 'C;Y1;X1;K"q"r"'])).text).toBe('"q""r"\r\n');
});
