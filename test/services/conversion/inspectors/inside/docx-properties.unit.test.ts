import { expect, it } from "vitest";
import { propertiesOf } from "#services/conversion/inspectors/inside/docx-properties.ts";

it("long properties of a Word document are read, not silently left out", () => {
  const long = "quokka ".repeat(1000).trim();
  const core = `<dc:title>${long}</dc:title><dc:description>${long}</dc:description><cp:keywords>a &amp; b</cp:keywords>`;
  expect(propertiesOf(core, "")).toMatchObject({ title: long, description: long, keywords: "a & b", subject: "" });
});
