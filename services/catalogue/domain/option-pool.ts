/** Engines announce the same options on thousands of hops. The pool keeps each once, so that equal sets can be recognised by identity. */
import type { Option } from "#gen/filemill/common/v1/format_pb.ts";

export type OptionPool = {
  /** The pool's own copies, in the given order. Equal lists are the same array. */
  shared(options: readonly Option[]): readonly Option[];
};

export function createOptionPool(): OptionPool {
  const known = new Map<string, { readonly option: Option; readonly number: number }>();
  const lists = new Map<string, readonly Option[]>();
  const seen = new WeakMap<readonly Option[], readonly Option[]>();
  const pooled = (option: Option) => {
    const key = keyOf(option);
    const first = known.get(key) ?? { option, number: known.size };
    known.set(key, first);
    return first;
  };
  return {
    shared(options) {
      const before = seen.get(options);
      if (before !== undefined) return before;
      const members = options.map(pooled);
      const key = members.map(({ number }) => number).join();
      const list = lists.get(key) ?? members.map(({ option }) => option);
      lists.set(key, list);
      seen.set(options, list);
      return list;
    },
  };
}

/** Joins strings instead of serialising, because this runs for every option of every hop whenever a node announces something new. */
function keyOf({ name, type, description, defaultValue, min, max, values, unit, pattern }: Option): string {
  const { case: sort, value } = defaultValue?.value ?? {};
  return [name, type, min, max, unit, sort, value, pattern, description, ...values].join("\0");
}

/** Sets of pooled options, numbered in the order of first use. */
export type OptionSets = {
  numberOf(options: readonly Option[]): number;
  list(): readonly (readonly Option[])[];
};

export function createOptionSets(): OptionSets {
  const optionNumbers = new Map<Option, number>();
  const setNumbers = new Map<string, number>();
  const sets: (readonly Option[])[] = [];
  const numberIn = <K>(numbers: Map<K, number>, key: K): number => {
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  };
  return {
    numberOf(options) {
      const number = numberIn(setNumbers, options.map((option) => numberIn(optionNumbers, option)).join());
      if (number === sets.length) sets.push(options);
      return number;
    },
    list: () => sets,
  };
}
