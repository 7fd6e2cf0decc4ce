import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "#gateway/setup/node.mjs";

const folder = join(root, "services/conversion/engines/office");
const script = `import importlib, json, sys
sys.path.insert(0, sys.argv[1])
print(json.dumps(importlib.import_module("libreoffice-spreadsheetml").readable(*sys.argv[2:])))`;
const spreadsheet = "urn:schemas-microsoft-com:office:spreadsheet";
const cell = (type: string, text: string) => `<Cell><Data ss:Type="${type}">${text}</Data></Cell>`;

function readable(cells: string, more = "") {
  const [path, copy] = ["book.xml", "copy.xml"].map((name) => join(mkdtempSync(join(tmpdir(), "excel-xml-")), name)) as [string, string];
  const sheet = `<Worksheet ss:Name="S"><Table><Row>${cells}</Row></Table></Worksheet>`;
  writeFileSync(path, `<?xml version="1.0"?><Workbook xmlns="${spreadsheet}" xmlns:ss="${spreadsheet}">${sheet}${more}</Workbook>`);
  const [made, hidden] = JSON.parse(execFileSync("/usr/bin/python3", ["-B", "-c", script, folder, path, copy], { encoding: "utf8" }));
  return { isAdapted: made === copy, hidden, text: readFileSync(made, "utf8") };
}

it.each(["", "0001-01-01T00:00:00.000", "01/02/2024"])("a date that is none leaves the rest of Excel 2003 XML adapted: '%s'", (date) => {
  const { text } = readable(cell("Boolean", "1") + cell("DateTime", date) + cell("DateTime", "1900-01-02T00:00:00.000"));
  expect(text).toContain('Formula="=TRUE()"');
  expect(text).toContain(">1900-01-01T00:00:00.000<");
});

it("Excel 2003 XML that is nested too deeply is left to the office", () => {
  expect(readable(`${"<a>".repeat(5000)}${"</a>".repeat(5000)}`).isAdapted).toBe(false);
});

it("a hidden sheet without a name has an empty one", () => {
  const options = '<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions>';
  expect(readable("", `<Worksheet>${options}</Worksheet>`).hidden).toEqual([""]);
});
