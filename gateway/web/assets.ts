import { readFile } from "node:fs/promises";
import { type Compressed, compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import type { Handler } from "#gateway/rest/exchange.ts";
import { FilemillError } from "#kit/errors.ts";
import { type Bundle, bundlePages, type EntryName } from "./bundle.ts";

let bundling: Promise<Bundle> | undefined;

/** Made when the first page is asked for, so that the start does not wait for it, and kept. */
export function currentBundle(): Promise<Bundle> {
  bundling ??= bundlePages().catch((error: unknown) => {
    bundling = undefined;
    throw error;
  });
  return bundling;
}

/** Address of an entry, and of the modules that it imports, for a head that has them fetched at once. */
export function addressesOf(bundle: Bundle, entry: EntryName): { readonly href: string; readonly imports: readonly string[] } {
  const found = bundle.entries.get(entry);
  if (found === undefined) throw new RangeError(`no entry ${entry}`);
  return { href: `/assets/${found.name}`, imports: found.imports.map((name) => `/assets/${name}`) };
}

let readingIcon: Promise<Compressed> | undefined;

/** GET /favicon.ico: `icon.svg` in three sizes, for what shows no page of ours, such as the JSON of an API call, and for browsers without SVG icons. */
export function faviconHandler(): Handler {
  return async (request, reply) => {
    readingIcon ??= readFile(new URL("./client/favicon.ico", import.meta.url))
      .then((icon) => compressedOf(icon, 9))
      .catch((error: unknown) => {
        readingIcon = undefined;
        throw error;
      });
    reply.header("cache-control", "public, max-age=86400");
    return sendCompressed(request, reply, "image/x-icon", await readingIcon);
  };
}

/** GET /assets/{name}: a name holds a hash of its content, so what is under it never changes. */
export function assetHandler(): Handler {
  return async (request, reply) => {
    const { params } = request;
    const name = typeof params === "object" && params !== null && "name" in params ? String(params.name) : "";
    const asset = (await currentBundle()).assets.get(name);
    if (asset === undefined) throw new FilemillError("NOT_FOUND", "There is no such file; reload the page that asked for it.");
    reply.header("cache-control", "public, max-age=31536000, immutable");
    return sendCompressed(request, reply, asset.contentType, asset.representations);
  };
}
