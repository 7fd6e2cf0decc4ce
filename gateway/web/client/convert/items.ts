import { computed, signal } from "@preact/signals";
import type { Job } from "#client/server/wire.ts";

export type Failure = { readonly code: string; readonly message: string; readonly details: Readonly<Record<string, unknown>> };
export type Choices = Readonly<Record<string, string | number | boolean>>;

/** How far a file is. */
export type Phase =
  | { readonly name: "choosing" }
  /** For its turn, or after a refusal for the moment that the server named. */
  | { readonly name: "waiting"; readonly why?: string; readonly offline?: true }
  | { readonly name: "uploading"; readonly fraction: number }
  /** At the server; `progress` from 0 to 1 where the engine reports it. */
  | { readonly name: "working"; readonly job: Job | undefined; readonly progress: number | undefined }
  | { readonly name: "done"; readonly job: Job }
  | { readonly name: "failed"; readonly failure: Failure }
  | { readonly name: "gone"; readonly why: string };

export type Item = {
  readonly id: string;
  readonly name: string;
  /** The folders that it was chosen with, for example "photos/summer"; empty for none. */
  readonly folder: string;
  /** Files that were added together have one number, and earlier ones a lower one. */
  readonly batch: number;
  readonly sizeBytes: number;
  /** Undefined after a reload: browsers do not give a file twice. */
  readonly file: File | undefined;
  /** The format's id; undefined while nobody knows. */
  readonly from: string | undefined;
  /** The reader named the source format, which overrides what the server sees. */
  readonly fromChosen: boolean;
  readonly to: string | undefined;
  readonly options: Choices;
  /** Of a protected file, as long as the page is open. */
  readonly password?: string;
  /** To protect the result with, as long as the page is open. */
  readonly outputPassword?: string;
  readonly jobId: string | undefined;
  /** Of a file that is sent in pieces, until there is a job of it: it goes on where it ended. */
  readonly upload?: { readonly address: string; readonly idempotencyKey: string } | undefined;
  readonly phase: Phase;
};

export const items = signal<readonly Item[]>([]);
export const choosing = computed(() => items.value.filter(({ phase }) => phase.name === "choosing"));
export const done = computed(() => items.value.filter(({ phase }) => phase.name === "done"));
export const busy = computed(() => items.value.filter(isBusy));

/** What happened last, for those who do not see it. */
export const news = signal("");

export function isBusy({ phase }: Item): boolean {
  return phase.name === "waiting" || phase.name === "uploading" || phase.name === "working";
}

export function itemOf(id: string): Item | undefined {
  return items.value.find((item) => item.id === id);
}

export function change(id: string, changes: Partial<Omit<Item, "id">>): void {
  items.value = items.value.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

/** Changes many at once, so that the page is drawn once. */
export function changeEach(ids: ReadonlySet<string>, changesOf: (item: Item) => Partial<Omit<Item, "id">>): void {
  items.value = items.value.map((item) => (ids.has(item.id) ? { ...item, ...changesOf(item) } : item));
}

export function enter(id: string, phase: Phase): void {
  change(id, { phase });
}

export function drop(id: string): void {
  items.value = items.value.filter((item) => item.id !== id);
}

/** Gives the choices made for one file to all others of the same format that still wait for theirs. */
export function spread({ from, to, options, outputPassword }: Item): void {
  const choices = { to, options, ...(outputPassword !== undefined && { outputPassword }) };
  items.value = items.value.map((item) => (item.phase.name === "choosing" && item.from === from ? { ...item, ...choices } : item));
}
