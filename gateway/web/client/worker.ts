/** The service worker: shows a page if the server cannot be reached, and receives files that other apps share. */
import { newId } from "#client/convert/ids.ts";
import { openStore, put, SHARED } from "#client/many/stored.ts";

// TypeScript's types for pages and for workers cannot be combined.
type Lasting = Event & { waitUntil(until: Promise<unknown>): void };
type Asking = Event & { readonly request: Request; respondWith(answer: Promise<Response>): void };

const CACHE = "filemill-offline";
const OFFLINE = "/offline";
/** The manifest's share target. */
const SHARE = "/share";
const MAX_SHARED = 200;

addEventListener("install", (event) => (event as Lasting).waitUntil(keepOfflinePage()));

addEventListener("fetch", (event) => {
  const { request } = event as Asking;
  const { pathname } = new URL(request.url);
  const answer =
    request.method === "POST" && pathname === SHARE
      ? takeShared(request)
      : request.method === "GET" && request.mode === "navigate"
        ? fetch(request).catch(() => kept(OFFLINE))
        : request.method === "GET" && pathname.startsWith("/assets/")
          ? caches.match(request).then((found) => found ?? fetch(request))
          : undefined;
  if (answer !== undefined) (event as Asking).respondWith(answer);
});

/** Caches the offline page with its assets, whose URLs contain a hash of their content. */
async function keepOfflinePage(): Promise<void> {
  await caches.delete(CACHE);
  const cache = await caches.open(CACHE);
  const page = await fetch(OFFLINE, { cache: "reload" });
  const assets = (await page.clone().text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g);
  await Promise.all([cache.put(OFFLINE, page), cache.addAll(new Set([...assets].flatMap(([, address]) => address ?? [])))]);
}

async function kept(address: string): Promise<Response> {
  return (await caches.match(address)) ?? Response.error();
}

/** Stores shared files where the converter finds them, and opens it. */
async function takeShared(request: Request): Promise<Response> {
  const files = (await request.formData())
    .getAll("files")
    .filter((file) => typeof file !== "string")
    .slice(0, MAX_SHARED);
  const store = await openStore();
  for (const [place, file] of files.entries()) {
    const unknown = { from: undefined, fromChosen: false, to: undefined, options: {}, jobId: undefined, started: false };
    await put(store, [{ id: newId(), owner: SHARED, place, savedAtMs: Date.now(), name: file.name, folder: "", ...unknown }], file);
  }
  store.close();
  return Response.redirect("/", 303);
}
