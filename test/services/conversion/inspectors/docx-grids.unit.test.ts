import { describe, expect, it } from "vitest";
import { withGrids } from "#services/conversion/inspectors/inside/docx-grids.ts";

const cell = (text: string, more = ""): string => `<w:tc><w:tcPr>${more}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
const row = (...cells: readonly string[]): string => `<w:tr w:rsidR="1">${cells.join("")}</w:tr>`;
const grid = (columns: number): string => `<w:tblGrid>${'<w:gridCol w:w="1000"/>'.repeat(columns)}</w:tblGrid>`;
const table = (...parts: readonly string[]): string => `<w:tbl><w:tblPr/>${parts.join("")}</w:tbl>`;

describe("table columns that Pandoc would leave out", () => {
  it("are added for the widest row if the grid is missing", () => {
    const rows = [row(cell("a")), row(cell("b"), cell("c", '<w:gridSpan w:val="2"/>')), row(cell("d"), cell("e"))];
    expect(withGrids(table(...rows))).toBe(table(grid(3), ...rows));
  });

  it("are added if the grid is too short, empty or without widths", () => {
    const rows = [row(cell("a"), cell("b"))];
    for (const short of [grid(1), "<w:tblGrid/>", "<w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>"])
      expect(withGrids(table(short, ...rows)), short).toBe(table(grid(2), ...rows));
  });

  it("are added to every table, including nested ones", () => {
    const inner = row(cell("b"), cell("c"));
    expect(withGrids(table(row(cell("a") + table(inner))))).toBe(table(grid(1), row(cell("a") + table(grid(2), inner))));
  });

  it("are left alone if all are listed or tags do not match", () => {
    expect(withGrids(table(grid(2), row(cell("a"), cell("b"))))).toBeUndefined();
    for (const broken of ["<w:tbl>", "</w:tbl><w:tbl>", "<w:tr></w:tbl><w:tc>", "<w:p/>"])
      expect(withGrids(broken), broken).toBeUndefined();
  });

  it("are filled where a row begins later", () => {
    const late = (more: string) => `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${more}${cell("b")}</w:tr>`;
    expect(withGrids(table(grid(2), row(cell("a"), cell("b")), late("")))).toBe(
      table(grid(2), row(cell("a"), cell("b")), late("<w:tc><w:p/></w:tc>")),
    );
  });
});
