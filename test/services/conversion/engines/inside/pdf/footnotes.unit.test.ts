import { expect, it } from "vitest";
import { withEndnotes, withFootnotes } from "#services/conversion/engines/inside/pdf/footnotes.ts";
import { listWithLabels } from "#services/conversion/engines/inside/pdf/tagged-lists.ts";
import type { Block, Inline } from "#services/conversion/engines/inside/pdf/tree.ts";

const raised = (text: string, more: Partial<Inline> = {}): Inline => ({ text, isRaised: true, ...more });
const set = (size: number) => ({ left: 0, top: 0, right: 1, bottom: 1, page: 1, size, font: undefined, isBold: false, lines: [] });
const paragraph = (inlines: readonly Inline[], more = {}): Block => ({ kind: "paragraph", inlines, at: set(10), ...more });
const marked = (label: string, text: string) => ({ text: "", note: { label, blocks: [paragraph([{ text }])] } });

it("moves a note from the foot of its page to its mark, and ignores exponents", () => {
  const power = paragraph([{ text: "As 10" }, raised("1"), { text: " and x" }, raised("2"), { text: " say" }, raised("1"), { text: "." }]);
  const note = paragraph([raised("1"), { text: " So they say." }]);
  expect(withFootnotes([[power, note]])).toEqual([
    [
      paragraph([
        { text: "As 10" },
        raised("1"),
        { text: " and x" },
        raised("2"),
        { text: " say" },
        marked("1", "So they say."),
        { text: "." },
      ]),
    ],
  ]);
});

it("tells a link to a note from an exponent", () => {
  const [page] = withFootnotes([
    [paragraph([{ text: "in 1999" }, raised("1", { leadsWithin: true })]), paragraph([raised("1"), { text: "Note" }])],
  ]);
  expect(page).toEqual([paragraph([{ text: "in 1999" }, marked("1", "Note")])]);
});

it("detects notes without a raised mark by tag or small print, and leaves text that starts with a number", () => {
  const text = paragraph([
    { text: "Ordinary text" },
    raised("2"),
    { text: " goes on" },
    raised("3"),
    { text: " and on" },
    raised("4"),
    { text: "." },
  ]);
  const blocks = [
    text,
    paragraph([{ text: "4 gardens." }]),
    paragraph([{ text: "2 Small." }], { at: set(8) }),
    paragraph([{ text: "3. Told." }], { isNote: true }),
  ];
  const [page = []] = withFootnotes([blocks]);
  expect(page.length).toBe(2);
  expect(JSON.stringify(page[0])).toContain("Small.");
  expect(JSON.stringify(page[0])).toContain("Told.");
  expect(page[1]).toEqual(blocks[1]);
});

it("leaves a note in place if its mark is missing", () => {
  const blocks = [paragraph([{ text: "No mark." }]), paragraph([raised("1"), { text: " A note." }])];
  expect(withFootnotes([blocks])).toEqual([blocks]);
});

it("moves the endnotes of a web page to their marks", () => {
  const items = [
    { blocks: [paragraph([{ text: "One. ↩︎" }])], isContinued: false },
    { blocks: [paragraph([{ text: "Two." }, { text: " ↩︎2" }])], isContinued: false },
  ];
  const text = paragraph([{ text: "A" }, raised("1", { leadsWithin: true }), { text: " and b" }, raised("2", { leadsWithin: true })]);
  expect(withEndnotes([text, { kind: "list", start: 1, items }])).toEqual([
    paragraph([{ text: "A" }, marked("1", "One."), { text: " and b" }, marked("2", "Two.")]),
  ]);
});

it("strips labels from the text of list items", () => {
  const items = ["• One", "•Two"].map((text) => ({ label: undefined, blocks: [paragraph([{ text }])] }));
  const list = listWithLabels(items);
  expect(list).toEqual({
    kind: "list",
    start: undefined,
    items: ["One", "Two"].map((text) => ({ blocks: [paragraph([{ text }])], isContinued: false })),
  });
});
