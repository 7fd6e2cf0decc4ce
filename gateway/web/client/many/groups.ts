/** Groups messages that apply to many files, so that each is shown once. */
import type { Item } from "#client/convert/items.ts";

export type Said = { readonly code: string; readonly message: string; readonly items: readonly Item[] };

/** The notes of finished files, grouped by note, most frequent first. */
export function notesOf(items: readonly Item[]): readonly Said[] {
  return grouped(items.flatMap((item) => (item.phase.name === "done" ? item.phase.job.notes.map((note) => ({ ...note, item })) : [])));
}

type Remark = { readonly code: string; readonly message: string };

/** The expected notes of waiting files, grouped in the same way. @param expected - The expected notes of a conversion. */
export function expectationsOf(items: readonly Item[], expected: (from: string, to: string) => readonly Remark[]): readonly Said[] {
  const waiting = items.filter(({ phase }) => phase.name === "choosing");
  return grouped(
    waiting.flatMap((item) =>
      item.from === undefined || item.to === undefined ? [] : expected(item.from, item.to).map((remark) => ({ ...remark, item })),
    ),
  );
}

/** The errors of failed files, grouped in the same way. */
export function failuresOf(items: readonly Item[]): readonly Said[] {
  return grouped(items.flatMap((item) => (item.phase.name === "failed" ? [{ ...item.phase.failure, item }] : [])));
}

function grouped(all: readonly (Remark & { item: Item })[]): readonly Said[] {
  return [...Map.groupBy(all, ({ code, message }) => `${code} ${message}`).values()]
    .flatMap((same): Said[] => {
      const [first] = same;
      return first === undefined ? [] : [{ code: first.code, message: first.message, items: [...new Set(same.map(({ item }) => item))] }];
    })
    .toSorted((a, b) => b.items.length - a.items.length);
}

export type Counts = {
  readonly all: number;
  readonly waiting: number;
  readonly busy: number;
  readonly done: number;
  readonly failed: number;
  /** Progress of everything that was started, from 0 to 1; undefined if nothing was. */
  readonly fraction: number | undefined;
};

export function countsOf(items: readonly Item[]): Counts {
  const counts = { all: items.length, waiting: 0, busy: 0, done: 0, failed: 0 };
  let way = 0;
  for (const { phase } of items) {
    if (phase.name === "choosing") counts.waiting += 1;
    else if (phase.name === "done") counts.done += 1;
    else if (phase.name === "failed") counts.failed += 1;
    else if (phase.name !== "gone") counts.busy += 1;
    // The upload counts for 30 %. If the engine reports no progress, the conversion counts as 30 % done.
    if (phase.name === "uploading") way += phase.fraction * 0.3;
    if (phase.name === "working") way += 0.3 + (phase.progress ?? 0.3) * 0.7;
    if (phase.name === "done" || phase.name === "failed") way += 1;
  }
  const started = counts.busy + counts.done + counts.failed;
  return { ...counts, fraction: started === 0 ? undefined : way / started };
}
