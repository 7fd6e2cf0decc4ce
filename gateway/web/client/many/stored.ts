/** Files that wait, in the browser's own store: a reload takes them up again, and the service worker leaves shared ones here. */
import type { Choices, Item } from "#client/convert/items.ts";

/** A file as it lies in the store. */
export type Stored = {
  readonly id: string;
  /** The window that it belongs to. */
  readonly owner: string;
  /** Place in its list. */
  readonly place: number;
  readonly savedAtMs: number;
  readonly name: string;
  readonly folder: string;
  readonly from: string | undefined;
  readonly fromChosen: boolean;
  readonly to: string | undefined;
  readonly options: Choices;
  readonly jobId: string | undefined;
  readonly upload?: Item["upload"];
  /** It was on its way, and goes on by itself. */
  readonly started: boolean;
};

/** Owner of what another app shared, until a window takes it. */
export const SHARED = "shared";

const DATABASE = "filemill";
/** What is known of a file, and apart from it its bytes, which are written once. */
const FACTS = "facts";
const BYTES = "bytes";

/** Rejects where the browser has no store, or forbids it. */
export function openStore(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => {
      opening.result.createObjectStore(FACTS, { keyPath: "id" });
      opening.result.createObjectStore(BYTES);
    });
    opening.addEventListener("success", () => resolve(opening.result));
    opening.addEventListener("error", () => reject(opening.error));
    opening.addEventListener("blocked", () => reject(new Error("blocked")));
  });
}

/** Resolves when it is written for good; rejects when there is no room. */
export function put(store: IDBDatabase, facts: readonly Stored[], file?: File): Promise<void> {
  return changed(store, (transaction) => {
    for (const each of facts) transaction.objectStore(FACTS).put(each);
    const [first] = facts;
    if (file !== undefined && first !== undefined) transaction.objectStore(BYTES).put(file, first.id);
  });
}

export function remove(store: IDBDatabase, ids: readonly string[]): Promise<void> {
  return changed(store, (transaction) => {
    for (const id of ids) {
      transaction.objectStore(FACTS).delete(id);
      transaction.objectStore(BYTES).delete(id);
    }
  });
}

export function allFacts(store: IDBDatabase): Promise<readonly Stored[]> {
  return answerOf(store.transaction(FACTS).objectStore(FACTS).getAll() as IDBRequest<Stored[]>);
}

/** Undefined where its bytes were not written. */
export function fileOf(store: IDBDatabase, id: string): Promise<File | undefined> {
  return answerOf(store.transaction(BYTES).objectStore(BYTES).get(id) as IDBRequest<File | undefined>);
}

function changed(store: IDBDatabase, change: (transaction: IDBTransaction) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = store.transaction([FACTS, BYTES], "readwrite");
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
    try {
      change(transaction);
    } catch (error) {
      transaction.abort();
      reject(error);
    }
  });
}

function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}
