import { afterEach, beforeEach, expect, it, vi } from "vitest";

const places = ["https", "http"] as const;
const close: (() => void)[] = [];
beforeEach(() => {
  const { locks } = navigator;
  vi.stubGlobal("navigator", { locks });
});
afterEach(() => {
  for (const end of close.splice(0)) end();
  vi.unstubAllGlobals();
});

/** A window with a copy of another window's stored values, as after duplicating a tab, and its id. */
async function open(stored: ReadonlyMap<string, string>, place: (typeof places)[number]) {
  const own = new Map(stored);
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => own.get(key) ?? null,
    setItem: (key: string, value: string) => void own.set(key, value),
  });
  const { locks } = navigator;
  const gone = Promise.withResolvers<never>();
  const request = (name: string, options: LockOptions, hold: () => Promise<never>) =>
    locks.request(name, options, () => Promise.race([hold(), gone.promise]));
  // The browser releases a window's resources when it closes.
  const channels: BroadcastChannel[] = [];
  class Channel extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      channels.push(this);
    }
  }
  vi.stubGlobal("navigator", place === "http" ? {} : { locks: { request, query: () => locks.query() } });
  vi.stubGlobal("BroadcastChannel", Channel);
  vi.resetModules();
  const { openWindows } = await import("#client/many/window-id.ts");
  const windows = await openWindows();
  expect((await openWindows()).own).toBe(windows.own);
  vi.stubGlobal("navigator", { locks });
  vi.stubGlobal("BroadcastChannel", Object.getPrototypeOf(Channel));
  const end = (): void => {
    gone.reject(new Error("the window was closed"));
    for (const channel of channels) channel.close();
  };
  gone.promise.catch(() => {});
  close.push(end);
  return { ...windows, stored: own, end };
}

it.each(places)("gives a duplicated tab its own id, which it keeps: %s", async (place) => {
  const first = await open(new Map(), place);
  const second = await open(first.stored, place);
  expect(second.own).not.toBe(first.own);
  second.end();
  expect((await open(second.stored, place)).own).toBe(second.own);
});

it.each(places)("keeps the id across a reload: %s", async (place) => {
  const first = await open(new Map(), place);
  first.end();
  expect((await open(first.stored, place)).own).toBe(first.own);
});

it("keeps the id if the previous page closes late during a reload", async () => {
  const first = await open(new Map(), "https");
  setTimeout(first.end, 200);
  expect((await open(first.stored, "https")).own).toBe(first.own);
});

it("knows which windows are open", async () => {
  const first = await open(new Map(), "https");
  const { isOpen } = await open(new Map(), "https");
  expect([isOpen(first.own), isOpen("another")]).toEqual([true, false]);
});
