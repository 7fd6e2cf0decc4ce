import { expect, it } from "vitest";
import { withNoteAnchors } from "#services/conversion/inspectors/inside/note-anchors.ts";

it.each([
  ['<a epub:type="noteref" href="#n">1</a>', '<a role="doc-noteref" href="#n">1</a>'],
  ['<a type="noteref" href="#n">1</a>', '<a role="doc-noteref" href="#n">1</a>'],
  ['<a type="text/html" epub:type="noteref" href="#n">1</a>', '<a role="doc-noteref" type="text/html" href="#n">1</a>'],
  ['<li type="i" role="note" epub:type="bodymatter footnote">N</li>', '<li role="doc-footnote" type="i">N</li>'],
  ['<ol type="1"><li>N</li></ol>', undefined],
])("the type of a note becomes its role (%s)", (page, wanted) => {
  expect(withNoteAnchors(page, new Set())).toBe(wanted);
});
