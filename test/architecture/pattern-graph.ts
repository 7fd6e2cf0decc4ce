/** The positions of a regular expression (Glushkov), with an edge for each way from one to the next, and its search for a beginning. */
import { CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";

export type PatternGraph = {
  /** The characters that each position takes, as bits of classes of characters that the expression does not tell apart. */
  readonly masks: readonly bigint[];
  /** How many ways lead from one position to the next, by both. */
  readonly next: readonly ReadonlyMap<number, number>[];
  /** Whether a match is certain once the position was taken. */
  readonly isSure: readonly boolean[];
  /** The positions that stand for what is skipped before a match. */
  readonly search: ReadonlySet<number>;
};

/** Where a part can begin: anywhere, in a line's first place, in the text's first place. */
type Anchor = "none" | "line" | "start";
/** What a match still needs behind a part; `more` is something that may be missing. */
type Needs = "nothing" | "line end" | "end" | "more";
type Pass = { readonly anchor: Anchor; readonly needs: Needs };
type Part = {
  readonly first: readonly { readonly position: number; readonly anchor: Anchor }[];
  readonly last: readonly { readonly position: number; readonly needs: Needs }[];
  /** Undefined when it takes at least one character. */
  readonly empty: Pass | undefined;
};
type Node = NoParent<Element>;

/** A repetition that may be longer is no better than one without an end. */
const manyTimes = 1000;
/** More copies of a bounded repetition change a constant and nothing else. */
const maxCopies = 3;
const anchors: readonly Anchor[] = ["none", "line", "start"];
const needs: readonly Needs[] = ["nothing", "line end", "end", "more"];
const nothing: Part = { first: [], last: [], empty: { anchor: "none", needs: "nothing" } };
const passing = (pass: Partial<Pass>): Part => ({ ...nothing, empty: { anchor: "none", needs: "nothing", ...pass } });
const strictest = <T>(order: readonly T[], one: T, other: T): T => (order.indexOf(one) > order.indexOf(other) ? one : other);

/** Undefined when a look-around inside has no bound: then it may read all the rest at each place. */
export function patternGraphOf(source: string, flags: string): PatternGraph | undefined {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({
    backreferences: "unknown",
    simplify: false,
  });
  const all = CharSet.all(maxCharacter);
  const lineEnds = CharSet.fromCharacters(maxCharacter, [0x0a, 0x0d, 0x2028, 0x2029]);
  const sets: CharSet[] = [];
  const next: Map<number, number>[] = [];
  let isOpen = false;

  const place = (set: CharSet): number => {
    next.push(new Map());
    return sets.push(set) - 1;
  };
  const join = (from: number, to: number): void => void next[from]?.set(to, (next[from]?.get(to) ?? 0) + 1);
  const chain = (one: Part, other: Part): Part => {
    for (const { position: from, needs: rest } of one.last) {
      for (const { position: to, anchor } of other.first) if (anchor !== "start" && rest !== "end") join(from, to);
    }
    const { empty } = one;
    const behind = other.empty;
    const first =
      empty === undefined ? [] : other.first.map((each) => ({ ...each, anchor: strictest(anchors, each.anchor, empty.anchor) }));
    const last = behind === undefined ? [] : one.last.map((each) => ({ ...each, needs: strictest(needs, each.needs, behind.needs) }));
    return {
      first: [...one.first, ...first],
      last: [...other.last, ...last],
      empty: empty &&
        behind && { anchor: strictest(anchors, empty.anchor, behind.anchor), needs: strictest(needs, empty.needs, behind.needs) },
    };
  };
  const choice = (parts: readonly Part[]): Part => ({
    first: parts.flatMap(({ first }) => first),
    last: parts.flatMap(({ last }) => last),
    empty: parts.find(({ empty }) => empty !== undefined)?.empty,
  });
  const optional = (part: Part): Part => ({ ...part, empty: part.empty ?? { anchor: "none", needs: "nothing" } });
  const partOf = (alternatives: readonly NoParent<Concatenation>[]): Part =>
    choice(alternatives.map(({ elements }) => elements.map(elementOf).reduce(chain, nothing)));
  const loop = (part: Part): Part => {
    for (const { position: from } of part.last) for (const { position: to, anchor } of part.first) if (anchor !== "start") join(from, to);
    return part;
  };
  /** Each copy inside the one before, as else one character could be taken by any of them. */
  const copiesOf = (alternatives: readonly NoParent<Concatenation>[], min: number, max: number): Part => {
    if (max === 0) return nothing;
    const isLast = max === Number.POSITIVE_INFINITY && min <= 1;
    const one = isLast ? loop(partOf(alternatives)) : partOf(alternatives);
    const part = isLast ? one : chain(one, copiesOf(alternatives, Math.max(0, min - 1), max - 1));
    return min === 0 ? optional(part) : part;
  };
  const assertionOf = (node: Node & { type: "Assertion" }): Part => {
    if (hasLoop(node.alternatives)) isOpen = true;
    const [only] = node.alternatives.flatMap(({ elements }) => elements);
    if (!node.negate || node.alternatives.length !== 1 || only?.type !== "CharacterClass") return passing({ needs: "more" });
    const isText = only.characters.isAll;
    if (!isText && !only.characters.negate().equals(lineEnds)) return passing({ needs: "more" });
    if (node.kind === "behind") return passing({ anchor: isText ? "start" : "line", needs: "more" });
    return passing({ needs: isText ? "end" : "line end" });
  };
  function elementOf(node: Node): Part {
    switch (node.type) {
      case "CharacterClass": {
        const position = place(node.characters);
        return { first: [{ position, anchor: "none" }], last: [{ position, needs: "nothing" }], empty: undefined };
      }
      case "Alternation":
        // The two ways of a word's boundary exclude each other.
        return node.alternatives.every(({ elements }) => elements.length > 0 && elements.every(({ type }) => type === "Assertion"))
          ? passing({ needs: "more" })
          : partOf(node.alternatives);
      case "Quantifier": {
        const max = node.max > manyTimes ? Number.POSITIVE_INFINITY : Math.min(node.max, maxCopies);
        return copiesOf(node.alternatives, Math.min(node.min, maxCopies), max);
      }
      case "Assertion":
        return assertionOf(node);
      case "Unknown": {
        // A reference to what was taken before: any text.
        const position = place(all);
        join(position, position);
        return optional({ first: [{ position, anchor: "none" }], last: [{ position, needs: "more" }], empty: undefined });
      }
      default:
        return node satisfies never;
    }
  }

  const whole = partOf(expression.alternatives);
  if (isOpen) return undefined;
  const search = flags.includes("y") ? [] : [place(lineEnds), place(lineEnds.negate())];
  for (const from of search) {
    for (const to of search) join(from, to);
    for (const { position, anchor } of whole.first)
      if (anchor === "none" || (anchor === "line" && from === search[0])) join(from, position);
  }
  const isSure = sets.map((set, position) =>
    whole.last.some((exit) => {
      if (exit.position !== position) return false;
      const isLoop = next[position]?.has(position) === true;
      return (
        exit.needs === "nothing" ||
        (exit.needs === "end" && isLoop && set.isAll) ||
        (exit.needs === "line end" && isLoop && set.isSupersetOf(lineEnds.negate()))
      );
    }),
  );
  return { masks: masksOf(sets), next, isSure, search: new Set(search) };
}

function hasLoop(alternatives: readonly NoParent<Concatenation>[]): boolean {
  return alternatives.some(({ elements }) =>
    elements.some(
      (element) =>
        element.type === "Unknown" ||
        ("max" in element && element.max > manyTimes) ||
        ("alternatives" in element && hasLoop(element.alternatives)),
    ),
  );
}

/** A bit for each stretch of characters between two ends of ranges. */
function masksOf(sets: readonly CharSet[]): readonly bigint[] {
  const starts = new Set(sets.flatMap(({ ranges }) => ranges.flatMap(({ min, max }) => [min, max + 1])));
  const bits = new Map([...starts].toSorted((one, other) => one - other).map((start, index) => [start, BigInt(index)] as const));
  return sets.map(({ ranges }) =>
    ranges.reduce((mask, { min, max }) => mask | ((1n << (bits.get(max + 1) ?? 0n)) - (1n << (bits.get(min) ?? 0n))), 0n),
  );
}
