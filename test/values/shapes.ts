/** Normalises values for comparison: without a format's wrappers, and as rows. */
import { isList, isMap, isTable, type Said, type SaidTable } from "./said.ts";

/** Removes the wrappers that these formats need around a value. */
export function bare(is: Said, was: Said, to: string): Said {
  if (to === "ini" || to === "properties") return is;
  const [only, more] = isMap(is) ? is.m : [];
  if (only === undefined || more !== undefined) return is;
  const [name, value] = only;
  if (to === "toml" && isList(was) && name === "items") return value;
  if (to !== "xml") return is;
  const [wanted, another] = isMap(was) ? was.m : [];
  if (name !== "root" || (wanted?.[0] === "root" && another === undefined)) return is;
  if (isMap(was)) return value;
  const [item] = isMap(value) ? value.m : [];
  return item?.[0] === "item" ? (isList(item[1]) ? item[1] : [item[1]]) : value;
}

/** The list inside wrappers with a single name, or the value alone. */
function recordsIn(value: Said): readonly Said[] {
  if (isList(value)) return value;
  const [only, more] = isMap(value) ? value.m : [];
  return only !== undefined && more === undefined && (isList(only[1]) || isMap(only[1])) ? recordsIn(only[1]) : [value];
}

/** Trees as rows: the same names for each record, in order of first appearance. */
export function tableOf(said: Said | SaidTable): SaidTable {
  if (isTable(said)) return said;
  const columns: string[] = [];
  const rows = recordsIn(said).map((record) => {
    const row: Said[] = [];
    const seen = new Map<string, number>();
    for (const [name, value] of isMap(record) ? record.m : [["value", record] as const]) {
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      let place = columns.indexOf(name);
      for (let time = 0; time < times && place >= 0; time += 1) place = columns.indexOf(name, place + 1);
      if (place < 0) place = columns.push(name) - 1;
      row[place] = value;
    }
    return row;
  });
  return { columns, rows: rows.map((row) => columns.map((_, place) => row[place] ?? null)) };
}

/** As the notes announce: trimmed, and numbered if empty or repeated. */
function ownNames(columns: readonly string[]): readonly string[] {
  const isPlain = new Set(columns).size === columns.length && columns.every((name) => name.trim() === name && name !== "");
  if (isPlain) return columns;
  const seen = new Set<string>();
  return columns.map((column, place) => {
    const wanted = column.trim() || `column${place + 1}`;
    let name = wanted;
    for (let count = 2; seen.has(name); count += 1) name = `${wanted}_${count}`;
    seen.add(name);
    return name;
  });
}

/** The new position of each column: by name, otherwise in the order of the remaining ones. `isOrdered`: columns keep their order. */
export function placesOf(was: readonly string[], is: readonly string[], isOrdered: boolean): readonly number[] {
  const isKept = new Set(was).size === was.length && new Set(was).isSubsetOf(new Set(is));
  // If an empty column is gone, the others keep their names.
  const own = isKept || is.length < was.length ? was : ownNames(was);
  const isSame = was.length === is.length && (isOrdered || !new Set(own).isSubsetOf(new Set(is)));
  if (isSame) return [...was.keys()];
  const left = new Set(is.keys());
  const take = (matches: (name: string, place: number) => boolean) => {
    const place = [...left].find((each) => matches(is[each] ?? "", each)) ?? -1;
    left.delete(place);
    return place;
  };
  const places = own.map((name) => take((each) => each === name));
  return places.map((place) => (place >= 0 ? place : take(() => true)));
}
