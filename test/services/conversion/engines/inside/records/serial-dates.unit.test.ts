import { describe, expect, it } from "vitest";
import { serialOf, shownBy, stampOfSerial } from "#services/conversion/engines/inside/records/serial-dates.ts";
import { Stamp } from "#services/conversion/engines/inside/records/values.ts";

describe("a number format", () => {
  it.each([
    ["yyyy-mm-dd", "date"],
    ["dd/mm/yyyy", "date"],
    ["mmm yy", "date"],
    ["h:mm", "time"],
    ["mm:ss.0", "time"],
    ["h:mm AM/PM", "time"],
    ["yyyy-mm-dd hh:mm:ss", "date time"],
    ['"day" d "h" m', "date"],
    ["[h]:mm:ss", "time elapsed"],
    ["[$-409]d. mmmm", "date"],
    ["[Red]0.00", ""],
    ["[Magenta]yyyy-mm-dd", "date"],
    ["[Hh]:mm:ss", "time elapsed"],
    ["general", ""],
    ["0.00 Bar", ""],
    ["0;[Red]-0 Bs", ""],
  ])("%s shows: %s", (format, wanted) => {
    const shown = shownBy(format);
    const words = (["date", "time", "elapsed"] as const).filter((word) => shown[word] || (word === "elapsed" && shown.elapsed));
    expect(words.join(" ")).toBe(wanted);
  });
});

describe("a serial", () => {
  it.each([
    [44259, "yyyy-mm-dd", false, "2021-03-04"],
    [42797, "yyyy-mm-dd", true, "2021-03-04"],
    [1, "yyyy-mm-dd", false, "1900-01-01"],
    [61, "yyyy-mm-dd", false, "1900-03-01"],
    [0.0625, "h:mm", false, "01:30:00"],
    [1.0625, "h:mm", false, "1900-01-01T01:30:00"],
    [44256.5, "hh:mm", false, "2021-03-01T12:00:00"],
    [3.5, "[Magenta]yyyy-mm-dd", false, "1900-01-03T12:00:00"],
    [-1.5, "h:mm", false, "-PT36H"],
    [-1, "yyyy-mm-dd", false, "1899-12-29"],
    [0.999999999999, "h:mm", false, "1900-01-01"],
    [1.5034722222222223, "[h]:mm", false, "PT36H5M"],
    [44259.5, "yyyy-mm-dd", false, "2021-03-04T12:00:00"],
  ])("%d as %s is %s", (serial, format, is1904, wanted) => {
    expect(stampOfSerial(serial, format, is1904)?.text).toBe(wanted);
  });

  it.each(["general", "0.00 Bar", "0;[Red]-0 Bs"])("is a number where the format is %s", (format) => {
    expect(stampOfSerial(1234.5, format, false)).toBeUndefined();
  });

  it.each(["2021-03-04", "2021-03-04T05:06:07", "2021-03-04T05:06:07.891"])("brings %s back", (text) => {
    const { serial = 0, format = "" } = serialOf(new Stamp(text, false)) ?? {};
    expect(stampOfSerial(serial, format, false)?.text).toBe(text);
  });

  it("is not made of what a workbook cannot hold", () => {
    for (const text of ["1900-02-28", "PT5H", "12:00:00", "2021-03-04T05:06:07.891234"])
      expect(serialOf(new Stamp(text, false))).toBeUndefined();
  });
});

it("is not made of text that names no day of the calendar, such as 30 February", () => {
  for (const text of ["1970-02-29", "2023-02-30", "2024-04-31T10:00:00"]) expect(serialOf(new Stamp(text, false))).toBeUndefined();
  expect(serialOf(new Stamp("2024-02-29", false))?.serial).toBe(45_351);
});
