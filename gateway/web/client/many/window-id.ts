/** The id of this window, and which other windows are open. */
import { newId } from "#client/convert/ids.ts";

const idKey = "filemill.window";
/** How long the lock of a page that is reloaded can outlive it. */
const RELOAD_MS = 1000;
/** How long another window may take to answer. */
const ANSWER_MS = 300;

export type Windows = { readonly own: string; isOpen(id: string): boolean };

let claimed: Promise<string> | undefined;

/** The id survives a reload. If the browser has no locks, all other windows count as closed. */
export async function openWindows(): Promise<Windows> {
  claimed ??= claim();
  const own = await claimed;
  const { locks }: { locks?: LockManager } = navigator;
  const held = new Set((await locks?.query())?.held?.map(({ name }) => name));
  return { own, isOpen: (id) => held.has(nameOf(id)) };
}

async function claim(): Promise<string> {
  const known = storedId();
  if (known !== null && (await hold(known))) return known;
  // A duplicated tab starts with a copy of the id. The first tab keeps it, and the files.
  const made = newId();
  storeId(made);
  await hold(made);
  return made;
}

/** Marks the id as taken until the window closes. Resolves with false if another window has it. */
function hold(id: string): Promise<boolean> {
  const { locks }: { locks?: LockManager } = navigator;
  return locks === undefined ? nobodyAnswers(id) : lock(locks, id);
}

function lock(locks: LockManager, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const untilClosed = (): Promise<never> => {
      resolve(true);
      return new Promise(() => {});
    };
    locks.request(nameOf(id), { signal: AbortSignal.timeout(RELOAD_MS) }, untilClosed).catch(() => resolve(false));
  });
}

/** Over plain HTTP, browsers have no locks. Asks the other windows instead, and answers them from then on. */
function nobodyAnswers(id: string): Promise<boolean> {
  const channel = new BroadcastChannel(nameOf(id));
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ANSWER_MS);
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (data === "whose?") return channel.postMessage("mine");
      clearTimeout(timer);
      channel.close();
      resolve(false);
    });
    channel.postMessage("whose?");
  });
}

const nameOf = (id: string): string => `filemill.window.${id}`;

function storedId(): string | null {
  try {
    return sessionStorage.getItem(idKey);
  } catch {
    return null;
  }
}

function storeId(id: string): void {
  try {
    sessionStorage.setItem(idKey, id);
  } catch {
    // If storage is blocked, the id lasts until the page is reloaded.
  }
}
