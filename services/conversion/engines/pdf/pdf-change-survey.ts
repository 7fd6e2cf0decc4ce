/** What a PDF has besides the look of its pages, as counted by pdf-change.py. */

/** In words for notes. */
const counted = {
  tags: "tags for screen readers",
  fields: "form fields",
  links: "links",
  comments: "comments",
  bookmarks: "bookmarks",
  attachments: "attached files",
  layers: "layers",
  labels: "page numbers of its own",
  scripts: "scripts",
  transitions: "transitions between pages",
} as const;
type Counted = keyof typeof counted;
const names = Object.keys(counted).filter((name): name is Counted => name in counted);

/** What Ghostscript keeps. */
const kept: ReadonlySet<Counted> = new Set(["links", "bookmarks", "labels"]);

export type Survey = Readonly<Record<Counted, number>> & {
  readonly pages: number;
  /** Signed fields. */
  readonly signatures: number;
  /** Bytes of fonts that are not subset. */
  readonly wholeFonts: number;
  /** Displayed size of the first page, in points. */
  readonly size: readonly [width: number, height: number];
  /** Its owner forbids printing, copying or changing it. */
  readonly isRestricted: boolean;
  /** It could be read, but has errors. */
  readonly damaged: boolean;
  /** Redrawing the pages would lose nothing. */
  readonly hasOnlyPages: boolean;
};

/** Untrusted program output: anything that is not a number becomes one. */
export function surveyOf(said: unknown): Survey {
  const facts: Readonly<Record<string, unknown>> = typeof said === "object" && said !== null ? { ...said } : {};
  const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
  const counts = Object.fromEntries(names.map((name) => [name, number(facts[name])]));
  const size = Array.isArray(facts.size) ? facts.size : [];
  const has = (name: Counted): boolean => (counts[name] ?? 0) > 0;
  return {
    ...{
      tags: 0,
      fields: 0,
      links: 0,
      comments: 0,
      bookmarks: 0,
      attachments: 0,
      layers: 0,
      labels: 0,
      scripts: 0,
      transitions: 0,
      ...counts,
    },
    pages: number(facts.pages),
    signatures: number(facts.signatures),
    wholeFonts: number(facts.wholeFonts),
    size: [number(size[0]), number(size[1])],
    isRestricted: facts.restricted === true,
    damaged: facts.damaged === true,
    hasOnlyPages: !names.some((name) => !kept.has(name) && has(name)),
  };
}

/** What there is less of, except forms and comments that were flattened into the page. */
export function lostWords(before: Survey, after: Survey, isFlattened: boolean): readonly string[] {
  const meant: readonly string[] = isFlattened ? ["fields", "comments"] : [];
  return names.filter((name) => after[name] < before[name] && !meant.includes(name)).map((name) => counted[name]);
}

const maxNames = 3;

/** What flattening cannot show, in words; empty if nothing. Untrusted program output. */
export function unseenWords(said: unknown): string {
  const facts: Readonly<Record<string, unknown>> = typeof said === "object" && said !== null ? { ...said } : {};
  const fields = Array.isArray(facts.fields) ? facts.fields.map((name) => String(name).slice(0, 60)) : [];
  const comments = typeof facts.comments === "number" ? facts.comments : 0;
  const named = fields.slice(0, maxNames).join(", ") + (fields.length > maxNames ? ` and ${fields.length - maxNames} more` : "");
  const left = comments === 1 ? "The text of a comment was left out." : `The text of ${comments} comments was left out.`;
  return [fields.length > 0 ? `Form fields that could not be drawn: ${named}.` : "", comments > 0 ? left : ""].filter(Boolean).join(" ");
}
