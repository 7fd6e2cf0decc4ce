/** The content of a file, in one form for every independent reader and writer: see foreign/said.py. */
export type Said =
  | null
  | boolean
  | { readonly t: string }
  | { readonly n: string }
  | { readonly b: string }
  | { readonly s: string }
  | readonly Said[]
  | SaidMap;
export type SaidMap = { readonly m: readonly (readonly [name: string, value: Said])[] };
export type SaidTable = { readonly columns: readonly string[]; readonly rows: readonly (readonly Said[])[] };

export const isList = (said: Said): said is readonly Said[] => Array.isArray(said);
export const isMap = (said: Said): said is SaidMap => said !== null && typeof said === "object" && "m" in said;
export const isTable = (said: Said | SaidTable): said is SaidTable => said !== null && typeof said === "object" && "columns" in said;

/** A table as trees represent it: a list of records. */
export function recordsOf({ columns, rows }: SaidTable): Said {
  return rows.map((row) => ({ m: columns.map((name, place) => [name, row[place] ?? null] as const) }));
}

/** Digits and exponent without insignificant zeros, as foreign/said.py writes them; undefined if it is not a number. */
export function digitsOf(text: string): string | undefined {
  if (/^[-+]?(nan|inf(inity)?)$/i.test(text)) return text.toLowerCase().replace("+", "").replace("infinity", "inf").replace("-nan", "nan");
  const found = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found;
  if (whole + fraction === "") return undefined;
  const digits = (whole + fraction).replace(/^0+/, "");
  const bare = digits.replace(/0+$/, "");
  const minus = sign === "-" ? "-" : "";
  if (bare === "") return `${minus}0`;
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - bare.length);
  return `${minus}${bare}${power === 0n ? "" : `e${power}`}`;
}

/** As JSON writes it. */
export function doubleSaid(value: number): Said {
  return { n: digitsOf(Object.is(value, -0) ? "-0" : String(value)) ?? "nan" };
}

/** The texts and numbers of a map by name, as text. */
export function fieldsOf(said: Said): Readonly<Record<string, string>> {
  const textOf = (each: Said) =>
    each === null || typeof each !== "object" || isList(each) || isMap(each) ? "" : (Object.values(each)[0] ?? "");
  return Object.fromEntries(isMap(said) ? said.m.map(([name, each]) => [name, textOf(each)]) : []);
}
