/** Ids in ascending order. Adding at the end, as new jobs do, is cheap. */
export type SortedIds = {
  add(id: string): void;
  remove(id: string): void;
  /** The number of ids before `id`, whether or not it is present. */
  rank(id: string): number;
  readonly ids: readonly string[];
};

export function createSortedIds(): SortedIds {
  const ids: string[] = [];
  const rank = (id: string): number => {
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? "") < id) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    ids,
    rank,
    add(id) {
      const last = ids.at(-1);
      if (last === undefined || last < id) {
        ids.push(id);
        return;
      }
      const index = rank(id);
      if (ids[index] !== id) ids.splice(index, 0, id);
    },
    remove(id) {
      const index = rank(id);
      if (ids[index] === id) ids.splice(index, 1);
    },
  };
}
