import { readFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { Handlers } from "#gateway/exchange/exchange.ts";
import { type Compressed, compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import { type Asset, assetOf, type Bundle, bundlePages, type EntryName, hashedName } from "./bundle.ts";
import { isLanguage, type Language, messagesOf } from "./languages.ts";

let bundling: Promise<Bundle> | undefined;

/** Built on the first page request, so that the start does not wait for it, and then cached. */
export function currentBundle(): Promise<Bundle> {
  bundling ??= bundlePages().catch((error: unknown) => {
    bundling = undefined;
    throw error;
  });
  return bundling;
}

/** URL of an entry and of the modules it imports, so that the page's head can preload them. */
export function addressesOf(bundle: Bundle, entry: EntryName): { readonly href: string; readonly imports: readonly string[] } {
  const found = bundle.entries.get(entry);
  if (found === undefined) throw new RangeError(`no entry ${entry}`);
  return { href: `/assets/${found.name}`, imports: found.imports.map((name) => `/assets/${name}`) };
}

type Named = { readonly name: string; readonly asset: Asset };

const texts = new Map<Language, Promise<Named>>();

/** The script that provides a language's texts to a page. Texts that only the server uses are left out. */
function textsOf(language: Language): Promise<Named> {
  const known = texts.get(language) ?? writeTexts(language);
  texts.set(language, known);
  known.catch(() => texts.delete(language));
  return known;
}

async function writeTexts(language: Language): Promise<Named> {
  const messages = Object.entries(await messagesOf(language)).filter(([key]) => !key.startsWith("page."));
  const body = Buffer.from(`globalThis.filemill=${JSON.stringify({ language, messages: Object.fromEntries(messages) })};`);
  const name = hashedName(`texts-${language}`, "js", body);
  return { name, asset: await assetOf(name, body) };
}

export async function addressOfTexts(language: Language): Promise<string> {
  return `/assets/${(await textsOf(language)).name}`;
}

async function textsNamed(name: string): Promise<Asset | undefined> {
  const language = /^texts-([a-z]+)-/.exec(name)?.[1] ?? "";
  if (!isLanguage(language)) return undefined;
  const found = await textsOf(language);
  return found.name === name ? found.asset : undefined;
}

let readingIcon: Promise<Compressed> | undefined;

export const assetHandlers = {
  /**
   * GET /favicon.ico: `icon.svg` in three sizes, for responses that are not Filemill's pages, such as the JSON of an API call, and for
   * browsers without SVG icons.
   */
  async favicon(_context, request, reply) {
    readingIcon ??= readFile(new URL("./client/favicon.ico", import.meta.url))
      .then((icon) => compressedOf(icon, 9))
      .catch((error: unknown) => {
        readingIcon = undefined;
        throw error;
      });
    reply.header("cache-control", "public, max-age=86400");
    return sendCompressed(request, reply, "image/x-icon", await readingIcon);
  },
  /** GET /assets/{name}. The name contains a hash of the content, so an asset never changes. */
  async asset(_context, request, reply) {
    const { params } = request;
    const name = typeof params === "object" && params !== null && "name" in params ? String(params.name) : "";
    const asset = (await currentBundle()).assets.get(name) ?? (await textsNamed(name));
    if (asset === undefined) throw new FilemillError("NOT_FOUND", "No such file; reload the page that requested it.");
    reply.header("cache-control", "public, max-age=31536000, immutable");
    return sendCompressed(request, reply, asset.contentType, asset.representations);
  },
} satisfies Handlers;
