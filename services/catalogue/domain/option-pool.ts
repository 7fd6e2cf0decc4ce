/** Engines announce the same options on thousands of hops; here each exists once, so that equal sets are told by identity. */
import type { Option } from "#gen/filemill/common/v1/format_pb.ts";

export type OptionPool = {
  /** The pool's own copies, in the given order. */
  shared(options: readonly Option[]): readonly Option[];
};

export function createOptionPool(): OptionPool {
  const known = new Map<string, Option>();
  return {
    shared: (options) =>
      options.map((option) => {
        const key = keyOf(option);
        const first = known.get(key);
        if (first === undefined) known.set(key, option);
        return first ?? option;
      }),
  };
}

/** Joined rather than serialised: this is done for every option of every hop whenever a node comes or goes. */
function keyOf({ name, type, description, defaultValue, min, max, values, unit, pattern }: Option): string {
  const { case: sort, value } = defaultValue?.value ?? {};
  return [name, type, min, max, unit, sort, value, pattern, description, ...values].join("\0");
}

/** Sets of pooled options, numbered in the order in which they are first asked for. */
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
