import { expect, it } from "vitest";
import type { PageContent, StructureNode } from "#services/conversion/engines/inside/pdf/content.ts";
import { blocksOfTagged } from "#services/conversion/engines/inside/pdf/tagged.ts";
import { runAt } from "./letters.ts";

const leaf = (id: string): StructureNode => ({ type: "content", id });

it("charts among the rows of a tagged table vanished with their labels", () => {
  const cell: StructureNode = { role: "TR", children: [{ role: "TD", children: [leaf("cell")] }] };
  const chart: StructureNode = {
    role: "Sect",
    children: [
      { role: "Span", children: [leaf("chart")] },
      { role: "P", children: [leaf("axis")] },
    ],
  };
  const table: StructureNode = { role: "Table", children: [{ role: "TBody", children: [cell] }, chart] };
  const page: PageContent = {
    ...{ number: 1, width: 500, height: 500, rules: [], dots: [], figures: [], comments: 0, links: new Map() },
    ...{ isUpright: true, isTextHidden: false, hasHiddenText: false, showsMore: true, isScanned: false, isUnreadable: false },
    runs: ["cell", "axis"].map((mark, index) => ({ ...runAt(mark, 50, 50 + 50 * index), mark })),
    pictures: [{ box: { left: 50, top: 80, right: 90, bottom: 120 }, mark: "chart", png: Buffer.from("png") }],
    structure: { role: "Root", children: [table] },
  };
  const blocks = blocksOfTagged(page, new Map() as never) ?? [];
  expect(blocks.map(({ kind }) => kind)).toEqual(["table", "picture", "paragraph"]);
});
