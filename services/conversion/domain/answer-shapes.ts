/** Closed shapes for everything that comes out of a sandbox. A value that does not match exactly is rejected. */

/** Returns the value with its type. Throws WrongShape. */
export type Shape<T> = (value: unknown) => T;

export class WrongShape extends Error {}

function must(holds: boolean): asserts holds {
  if (!holds) throw new WrongShape("The answer has not the shape that it must have.");
}

export const flag: Shape<boolean> = (value) => {
  must(typeof value === "boolean");
  return value;
};

/** A whole number from 0 to `most`. */
export const whole =
  (most: number): Shape<number> =>
  (value) => {
    must(typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most);
    return value;
  };

export const finite: Shape<number> = (value) => {
  must(typeof value === "number" && Number.isFinite(value));
  return value;
};

export const text =
  (longest: number): Shape<string> =>
  (value) => {
    must(typeof value === "string" && value.length <= longest);
    return value;
  };

export const oneOf =
  <const T extends string>(...values: readonly T[]): Shape<T> =>
  (value) => {
    const found = values.find((each) => each === value);
    must(found !== undefined);
    return found;
  };

/** A text that `isKnown` accepts. */
export const known =
  <T extends string>(isKnown: (value: string) => value is T): Shape<T> =>
  (value) => {
    must(typeof value === "string" && isKnown(value));
    return value;
  };

export const list =
  <T>(of: Shape<T>, most: number): Shape<readonly T[]> =>
  (value) => {
    must(Array.isArray(value) && value.length <= most);
    return value.map(of);
  };

export const optional =
  <T>(of: Shape<T>): Shape<T | undefined> =>
  (value) =>
    value === undefined ? undefined : of(value);

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** An object with exactly these fields. */
export const record =
  <F extends Fields>(fields: F): Shape<{ readonly [K in keyof F]: ReturnType<F[K]> }> =>
  (value) => {
    must(typeof value === "object" && value !== null && !Array.isArray(value));
    const given: Readonly<Record<string, unknown>> = { ...value };
    must(Object.keys(given).every((name) => Object.hasOwn(fields, name)));
    const entries = Object.entries(fields).map(([name, shape]) => [name, shape(given[name])] as const);
    return Object.fromEntries(entries) as { readonly [K in keyof F]: ReturnType<F[K]> };
  };
