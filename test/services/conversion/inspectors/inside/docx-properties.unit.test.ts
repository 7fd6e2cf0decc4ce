import { expect, it } from "vitest";
import { propertiesOf } from "#services/conversion/inspectors/inside/docx-properties.ts";

it("long properties of a Word document are read, not silently left out", () => {
  const long = "quokka ".repeat(1000).trim();
  const core = `<dc:title>${long}</dc:title><dc:description>${long}</dc:description><cp:keywords>a &amp; b</cp:keywords>`;
  expect(propertiesOf(core, "", "", "")).toMatchObject({ title: long, description: long, keywords: "a & b", subject: "" });
});

it("names the properties for which no target has a place", () => {
  const own = (name: string, value: string) => `<property fmtid="{D5CD}" pid="2" name="${name}"><vt:lpwstr>${value}</vt:lpwstr></property>`;
  const custom =
    own("Case &amp; file", "7") + own("Empty", "") + own("AppVersion", "16.0") + ["A", "B", "C"].map((name) => own(name, "x")).join("");
  const app = "<Application>Word</Application><Company>Quokka Ltd</Company><Manager></Manager>";
  const { others } = propertiesOf("<cp:category>Law</cp:category>", "", app, custom);
  expect(others).toBe("category, company, Case & file, A, B, others");
});
