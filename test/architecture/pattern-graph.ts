/**
 * The position automaton (Glushkov) of a regular expression, with an edge for
 * each way from one position to the next, and its search for a match start.
 */
import { CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";

export type PatternGraph = {
  /** Characters that each position accepts, as bits for the character classes that the expression distinguishes. */
  readonly masks: readonly bigint[];
  /** Number of ways from one position to the next, by both. */
  readonly next: readonly ReadonlyMap<number, number>[];
  /** Whether a match is certain once the position was reached. */
  readonly isSure: readonly boolean[];
  /** Positions for text that is skipped before a match. */
  readonly search: ReadonlySet<number>;
};

/** Where a part can start: anywhere, at the start of a line, at the start of the text. */
type Anchor = "none" | "line" | "start";
/** What a match still requires after a part; `more` is something that may be missing. */
type Needs = "nothing" | "line end" | "end" | "more";
type Pass = { readonly anchor: Anchor; readonly needs: Needs };
type Part = {
  readonly first: readonly { readonly position: number; readonly anchor: Anchor }[];
  readonly last: readonly { readonly position: number; readonly needs: Needs }[];
  /** Undefined if it consumes at least one character. */
  readonly empty: Pass | undefined;
};
type Node = NoParent<Element>;

/** A repetition with a larger limit is as bad as an unlimited one. */
const manyTimes = 1000;
/** More copies of a limited repetition only change a constant. */
const maxCopies = 3;
const anchors: readonly Anchor[] = ["none", "line", "start"];
const needs: readonly Needs[] = ["nothing", "line end", "end", "more"];
const nothing: Part = { first: [], last: [], empty: { anchor: "none", needs: "nothing" } };
const passing = (pass: Partial<Pass>): Part => ({ ...nothing, empty: { anchor: "none", needs: "nothing", ...pass } });
const strictest = <T>(order: readonly T[], one: T, other: T): T => (order.indexOf(one) > order.indexOf(other) ? one : other);

/** Undefined if it contains an unbounded look-around, which may read all the rest at each position. */
export function patternGraphOf(source: string, flags: string): PatternGraph | undefined {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({ backreferences: "unknown", simplify: false });
  const draft = new Draft(maxCharacter);
  const whole = draft.partOf(expression.alternatives);
  if (draft.isOpen) return undefined;
  const search = flags.includes("y") ? [] : draft.searchFor(whole);
  const isSure = draft.sets.map((_, position) => whole.last.some((exit) => exit.position === position && draft.isSure(exit)));
  return { masks: masksOf(draft.sets), next: draft.next, isSure, search: new Set(search) };
}

/** A graph that grows with each part of the expression. */
class Draft {
  readonly sets: CharSet[] = [];
  readonly next: Map<number, number>[] = [];
  isOpen = false;
  readonly #all: CharSet;
  readonly #lineEnds: CharSet;

  constructor(maxCharacter: number) {
    this.#all = CharSet.all(maxCharacter);
    this.#lineEnds = CharSet.fromCharacters(maxCharacter, [0x0a, 0x0d, 0x2028, 0x2029]);
  }

  partOf(alternatives: readonly NoParent<Concatenation>[]): Part {
    const parts = alternatives.map(({ elements }) =>
      elements.map((element) => this.#elementOf(element)).reduce((one, other) => this.#chain(one, other), nothing),
    );
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      empty: parts.find(({ empty }) => empty !== undefined)?.empty,
    };
  }

  /** Adds positions for text skipped before a match: line ends, and everything else. */
  searchFor({ first }: Part): readonly number[] {
    const search = [this.#place(this.#lineEnds), this.#place(this.#lineEnds.negate())];
    for (const from of search) {
      for (const to of search) this.#join(from, to);
      for (const { position, anchor } of first)
        if (anchor === "none" || (anchor === "line" && from === search[0])) this.#join(from, position);
    }
    return search;
  }

  isSure({ position, needs }: Part["last"][number]): boolean {
    const set = this.sets[position];
    if (needs === "nothing" || set === undefined) return needs === "nothing";
    if (this.next[position]?.has(position) !== true) return false;
    return (needs === "end" && set.isAll) || (needs === "line end" && set.isSupersetOf(this.#lineEnds.negate()));
  }

  #place(set: CharSet): number {
    this.next.push(new Map());
    return this.sets.push(set) - 1;
  }

  #join(from: number, to: number): void {
    this.next[from]?.set(to, (this.next[from]?.get(to) ?? 0) + 1);
  }

  #chain(one: Part, other: Part): Part {
    for (const { position: from, needs: rest } of one.last) {
      for (const { position: to, anchor } of other.first) if (anchor !== "start" && rest !== "end") this.#join(from, to);
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
  }

  #loop(part: Part): Part {
    for (const { position: from } of part.last)
      for (const { position: to, anchor } of part.first) if (anchor !== "start") this.#join(from, to);
    return part;
  }

  /** Nests each copy in the one before; otherwise a character could match any of them. */
  #copiesOf(alternatives: readonly NoParent<Concatenation>[], min: number, max: number): Part {
    if (max === 0) return nothing;
    const isLast = max === Number.POSITIVE_INFINITY && min <= 1;
    const one = isLast ? this.#loop(this.partOf(alternatives)) : this.partOf(alternatives);
    const part = isLast ? one : this.#chain(one, this.#copiesOf(alternatives, Math.max(0, min - 1), max - 1));
    return min === 0 ? optional(part) : part;
  }

  #assertionOf(node: Node & { type: "Assertion" }): Part {
    if (hasLoop(node.alternatives)) this.isOpen = true;
    const [only] = node.alternatives.flatMap(({ elements }) => elements);
    if (!node.negate || node.alternatives.length !== 1 || only?.type !== "CharacterClass") return passing({ needs: "more" });
    const isText = only.characters.isAll;
    if (!isText && !only.characters.negate().equals(this.#lineEnds)) return passing({ needs: "more" });
    if (node.kind === "behind") return passing({ anchor: isText ? "start" : "line", needs: "more" });
    return passing({ needs: isText ? "end" : "line end" });
  }

  #elementOf(node: Node): Part {
    switch (node.type) {
      case "CharacterClass": {
        const position = this.#place(node.characters);
        return { first: [{ position, anchor: "none" }], last: [{ position, needs: "nothing" }], empty: undefined };
      }
      case "Alternation":
        // The two kinds of word boundary exclude each other.
        return node.alternatives.every(({ elements }) => elements.length > 0 && elements.every(({ type }) => type === "Assertion"))
          ? passing({ needs: "more" })
          : this.partOf(node.alternatives);
      case "Quantifier": {
        const max = node.max > manyTimes ? Number.POSITIVE_INFINITY : Math.min(node.max, maxCopies);
        return this.#copiesOf(node.alternatives, Math.min(node.min, maxCopies), max);
      }
      case "Assertion":
        return this.#assertionOf(node);
      case "Unknown": {
        // A backreference: any text.
        const position = this.#place(this.#all);
        this.#join(position, position);
        return optional({ first: [{ position, anchor: "none" }], last: [{ position, needs: "more" }], empty: undefined });
      }
      default:
        return node satisfies never;
    }
  }
}

function optional(part: Part): Part {
  return { ...part, empty: part.empty ?? { anchor: "none", needs: "nothing" } };
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

/** One bit for each interval between two ends of character ranges. */
function masksOf(sets: readonly CharSet[]): readonly bigint[] {
  const starts = new Set(sets.flatMap(({ ranges }) => ranges.flatMap(({ min, max }) => [min, max + 1])));
  const bits = new Map([...starts].toSorted((one, other) => one - other).map((start, index) => [start, BigInt(index)] as const));
  return sets.map(({ ranges }) =>
    ranges.reduce((mask, { min, max }) => mask | ((1n << (bits.get(max + 1) ?? 0n)) - (1n << (bits.get(min) ?? 0n))), 0n),
  );
}
