/** Converts the inlines of a block in pandoc's tree to runs of equally formatted text. */

/** An element of pandoc's tree: its type and content. */
export type Node = { readonly t: string; readonly c?: unknown };

/** As defined in document.schema.json. */
export type Written = {
  readonly text: string;
  readonly bold?: true;
  readonly italic?: true;
  readonly code?: true;
  readonly raised?: true;
  readonly link?: string;
  readonly note?: readonly object[];
};
type Look = Omit<Written, "text" | "note">;

/** The runs of these nodes, and the descriptions of the pictures among them. `blocksOf` writes the content of a footnote. */
export function runsOf(nodes: readonly Node[], blocksOf: (blocks: readonly Node[]) => readonly object[]) {
  const runs: Written[] = [];
  const pictures: string[] = [];
  const add = (text: string, look: Look) => {
    const last = runs.at(-1);
    if (last !== undefined && last.note === undefined && isAlike(last, look)) runs[runs.length - 1] = { ...last, text: last.text + text };
    else if (text !== "") runs.push({ text, ...look });
  };
  const walk = (some: readonly Node[], look: Look): void => {
    for (const node of some) visit(node, look);
  };
  const visit = ({ t, c }: Node, look: Look): void => {
    const parts = c as readonly never[];
    const text = plainText({ t, c });
    const inner = looks[t];
    if (text !== undefined) add(text, look);
    else if (inner !== undefined) walk(parts, { ...look, ...inner });
    else if (t === "Code") add(String(parts[1]), { ...look, code: true });
    else if (t === "Link") walk(parts[1] ?? [], { ...look, link: String(parts[2]?.[0]) });
    else if (t === "Image") pictures.push(plainOf(parts[1] ?? []));
    else if (t === "Note") runs.push({ text: "", note: blocksOf(parts) });
    else if (t === "Quoted") quote((parts[0] as Node | undefined)?.t === "SingleQuote" ? ["‘", "’"] : ["“", "”"], parts[1] ?? [], look);
    else if (t === "Span" || t === "Cite") walk(parts[1] ?? [], look);
  };
  const quote = ([open, close]: readonly [string, string], inside: readonly Node[], look: Look) => {
    add(open, look);
    walk(inside, look);
    add(close, look);
  };
  walk(nodes, {});
  return { runs: trimmed(runs), pictures };
}

const looks: Readonly<Record<string, Look>> = {
  ...{ Emph: { italic: true }, Strong: { bold: true }, Superscript: { raised: true } },
  ...{ Underline: {}, Strikeout: {}, Subscript: {}, SmallCaps: {} },
};

function plainText({ t, c }: Node): string | undefined {
  if (t === "Str") return String(c);
  if (t === "Space" || t === "SoftBreak") return " ";
  if (t === "LineBreak") return "\n";
  return t === "Math" ? String((c as readonly unknown[])[1]) : undefined;
}

const isAlike = (one: Written, other: Look): boolean =>
  one.bold === other.bold &&
  one.italic === other.italic &&
  one.code === other.code &&
  one.raised === other.raised &&
  one.link === other.link;

/** Without blanks at either end. */
function trimmed(runs: readonly Written[]): readonly Written[] {
  const last = runs.length - 1;
  const cut = runs.map((run, place) => {
    const begun = place === 0 ? run.text.trimStart() : run.text;
    return { ...run, text: place === last ? begun.trimEnd() : begun };
  });
  return cut.filter(({ text, note }) => text !== "" || note !== undefined);
}

/** The text alone. */
export function plainOf(nodes: readonly Node[]): string {
  return runsOf(nodes, () => [])
    .runs.map(({ text }) => text)
    .join("");
}
