import { computed, signal } from "@preact/signals";
import type { Job } from "#client/server/wire.ts";

export type Failure = { readonly code: string; readonly message: string; readonly details: Readonly<Record<string, unknown>> };
export type Choices = Readonly<Record<string, string | number | boolean>>;

/** State of a file. */
export type Phase =
  | { readonly name: "choosing" }
  /** Waits for its turn or, after an error, until the time that the server named. */
  | { readonly name: "waiting"; readonly why?: string; readonly offline?: true }
  | { readonly name: "uploading"; readonly fraction: number }
  /** At the server. `progress` is from 0 to 1, if the engine reports it. */
  | { readonly name: "working"; readonly job: Job | undefined; readonly progress: number | undefined }
  | { readonly name: "done"; readonly job: Job }
  | { readonly name: "failed"; readonly failure: Failure }
  | { readonly name: "gone"; readonly why: string };

export type Item = {
  readonly id: string;
  readonly name: string;
  /** Folders that the file was chosen with, such as "photos/summer"; empty if none. */
  readonly folder: string;
  /** Files that were added together share a number. Earlier batches have lower numbers. */
  readonly batch: number;
  readonly sizeBytes: number;
  /** Undefined after a reload unless the file could be kept, because browsers do not provide it again. */
  readonly file: File | undefined;
  /** The format's id; undefined if unknown. */
  readonly from: string | undefined;
  /** The reader chose the source format, which overrides the server's detection. */
  readonly fromChosen: boolean;
  readonly to: string | undefined;
  readonly options: Choices;
  /** Password of a protected file, kept only while the page is open. */
  readonly password?: string;
  /** Password to protect the result with, kept only while the page is open. */
  readonly outputPassword?: string;
  readonly jobId: string | undefined;
  /** A resumable upload, until its job is created. It continues after an interruption. */
  readonly upload?: { readonly address: string; readonly idempotencyKey: string } | undefined;
  readonly phase: Phase;
};

export const items = signal<readonly Item[]>([]);
export const choosing = computed(() => items.value.filter(({ phase }) => phase.name === "choosing"));
export const done = computed(() => items.value.filter(({ phase }) => phase.name === "done"));
export const busy = computed(() => items.value.filter(isBusy));

/** The latest event, for screen readers. */
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

/** Changes many items in one update, so that the page is rendered once. */
export function changeEach(ids: ReadonlySet<string>, changesOf: (item: Item) => Partial<Omit<Item, "id">>): void {
  items.value = items.value.map((item) => (ids.has(item.id) ? { ...item, ...changesOf(item) } : item));
}

export function enter(id: string, phase: Phase): void {
  change(id, { phase });
}

export function drop(id: string): void {
  items.value = items.value.filter((item) => item.id !== id);
}

/** Copies a file's choices to all waiting files of the same format. */
export function spread({ from, to, options, outputPassword }: Item): void {
  const choices = { to, options, ...(outputPassword !== undefined && { outputPassword }) };
  items.value = items.value.map((item) => (item.phase.name === "choosing" && item.from === from ? { ...item, ...choices } : item));
}
