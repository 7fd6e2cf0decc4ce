/** What a PDF has beside its pages' look, as pdf-change.py counts it. */

/** In words, as a note names them. */
const counted = {
  tags: "tags for screen readers",
  fields: "form fields",
  links: "links",
  comments: "comments",
  bookmarks: "bookmarks",
  attachments: "attached files",
  layers: "layers",
} as const;
type Counted = keyof typeof counted;
const names = Object.keys(counted).filter((name): name is Counted => name in counted);

export type Survey = Readonly<Record<Counted, number>> & {
  readonly pages: number;
  /** Signed fields. */
  readonly signatures: number;
  /** Bytes of fonts that hold all of their letters. */
  readonly wholeFonts: number;
  /** Of the first page as it is shown, in points. */
  readonly size: readonly [width: number, height: number];
  /** It was read, but is not as it should be. */
  readonly damaged: boolean;
  /** Beside links and bookmarks there is nothing that a page drawn anew lacks. */
  readonly hasOnlyPages: boolean;
};

/** What a program that has read a stranger's file says is taken for numbers, whatever it is. */
export function surveyOf(said: unknown): Survey {
  const facts: Readonly<Record<string, unknown>> = typeof said === "object" && said !== null ? { ...said } : {};
  const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  const counts = Object.fromEntries(names.map((name) => [name, number(facts[name])]));
  const size = Array.isArray(facts.size) ? facts.size : [];
  const has = (name: Counted): boolean => (counts[name] ?? 0) > 0;
  return {
    ...{ tags: 0, fields: 0, links: 0, comments: 0, bookmarks: 0, attachments: 0, layers: 0, ...counts },
    pages: number(facts.pages),
    signatures: number(facts.signatures),
    wholeFonts: number(facts.wholeFonts),
    size: [number(size[0]), number(size[1])],
    damaged: facts.damaged === true,
    hasOnlyPages: !names.some((name) => name !== "links" && name !== "bookmarks" && has(name)),
  };
}

/** What there is less of. Forms and comments that became part of the page are meant to be gone. */
export function lostWords(before: Survey, after: Survey, isFlattened: boolean): readonly string[] {
  const meant: readonly string[] = isFlattened ? ["fields", "comments"] : [];
  return names.filter((name) => after[name] < before[name] && !meant.includes(name)).map((name) => counted[name]);
}
