import { describe, expect, it } from "vitest";
import { dialectOf, rowsOf } from "#services/conversion/engines/inside/records/delimited.ts";

const separatorOf = (text: string) => dialectOf(text, "csv", "auto").delimiter;
const rows = (text: string, wanted = "auto") => [...rowsOf(dialectOf(text, "csv", wanted))];

describe("the separator", () => {
  it.each([
    ["a comma", ",", "a,b\n1,2\n"],
    ["semicolons around decimal commas", ";", "a;b\n0,50;1.000,00\n2,5;3,1\n"],
    ["semicolons without a header", ";", "1,5;2,5\n3,5;4,5\n"],
    ["semicolons beside as many decimal commas, and a comma in a name", ";", "name;price, net\nA;1,50\nB;2,00\n"],
    ["semicolons in ragged rows", ";", `a;b;c\n${"1,5;2,5;3\n".repeat(20)}1;2\n`],
    ["what stands outside of quotation marks", ";", '"a,b";c\n"x,y";"1,2,3"\n'],
    ["what still does behind the first rows", ";", `a;b\n${"x;y\n".repeat(5)}${"p, q, r;z\n".repeat(500)}`],
    ["commas beside semicolons in texts", ",", "id,text\n1,a; b\n2,c; d\n"],
    ["tabs", "\t", "a\tb\n1,5\t2,5\n"],
    ["bars", "|", "a|b\n1|2\n"],
    ["what most rows have below a title", ";", "Report, of May\nname;qty\nA;1\nB;2\nC;3\n"],
    ["a comma where semicolons stand in a few texts of one column", ",", "007\n00:00:00\na;b\n1\n2\n"],
    ["a comma in a list of one column", ",", "a\nb\n"],
    ["what Excel says", ";", "sep=;\na;b,c,d\n"],
  ])("is %s", (_what, separator, text) => {
    expect(separatorOf(text)).toBe(separator);
  });

  it("is a guess where it is not the format's own and nobody says it", () => {
    expect(dialectOf("a;b\n1;2\n", "csv", "auto").guessed).toBe("semicolons");
    for (const [text, from, wanted] of [
      ["a,b\n", "csv", "auto"],
      ["a;b\n", "csv", "semicolon"],
      ["sep=;\na;b\n", "csv", "auto"],
      ["a;b\tc\n", "tsv", "auto"],
    ] as const)
      expect(dialectOf(text, from, wanted).guessed).toBeUndefined();
  });
});

describe("rows", () => {
  it("end as on any system, also in turn", () => {
    expect(rows("a,b\r\n1,2\n3,4\r5,6")).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
    ]);
  });

  it("keep what stands in quotation marks, and more cells than have a name", () => {
    expect(rows('a,b\n"x, ""y""\r\nz",2,3\n,\n"q" ,1\n')).toEqual([
      ["a", "b"],
      ['x, "y"\r\nz', "2", "3"],
      ["", ""],
      ["q", "1"],
    ]);
  });

  it("are no blank lines, but those between others of one column, where each is an empty cell", () => {
    expect(rows("\na,b\n\n1,2\n\n")).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
    expect(rows('a\n1\n\n""\n3\n\n')).toEqual([["a"], ["1"], [""], [""], ["3"]]);
  });

  it("are left out where they are blank, and the first between others is told", () => {
    const told: number[] = [];
    const blankIn = (content: string) =>
      rowsOf(
        { content, delimiter: "," },
        () => undefined,
        (row) => told.push(row),
      );
    expect(blankIn("\na,b\n1,2\n\n\n3,4\n\n5,6\n\n")).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
    ]);
    expect(told).toEqual([4]);
    blankIn("\n\na,b\n1,2\n\n");
    expect(told).toEqual([4]);
  });

  it("keep text after a closing quotation mark, as spreadsheets do, and its row is told", () => {
    const misplaced: number[] = [];
    const dialect = dialectOf('a,b\n"x" y,1\n"z"y"",2\n"q" ,3\n', "csv", "auto");
    expect(rowsOf(dialect, (row) => void misplaced.push(row))).toEqual([
      ["a", "b"],
      ["x y", "1"],
      ['zy""', "2"],
      ["q", "3"],
    ]);
    expect(misplaced).toEqual([2, 3]);
  });

  it("with a quotation mark that is never closed are refused", () => {
    for (const text of ['a,b\n"x,1\n', '"']) expect(() => rows(text)).toThrow("is never closed");
    expect(rows('a\n5" pipe\n')).toEqual([["a"], ['5" pipe']]);
  });
});
