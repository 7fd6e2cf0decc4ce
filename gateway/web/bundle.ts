import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Compressed, compressedOf } from "#gateway/http/compressed.ts";
import { bundled } from "#kit/bundled.ts";

/** The files that pages load directly; they import everything else. */
const iconNames = ["icon-192", "icon-512", "icon-maskable", "icon-touch"] as const;
export const entryNames = ["theme", "converter", "automate", "jobs", "operate", "docs", "style", "icon", ...iconNames] as const;
export type EntryName = (typeof entryNames)[number];

export type Asset = { readonly contentType: string; readonly representations: Compressed };

export type Bundle = {
  /** Keyed by file name, which contains a hash of the content. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The file names of each entry and of its static imports. */
  readonly entries: ReadonlyMap<EntryName, { readonly name: string; readonly imports: readonly string[] }>;
};

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
};

const targets = ["es2022", "chrome123", "firefox121", "safari17.5"];

const pathOf = (name: string): string => fileURLToPath(new URL(`./client/${name}`, import.meta.url));

/** Bundles and compresses the pages' scripts and styles. Takes about a third of a second. */
export async function bundlePages(): Promise<Bundle> {
  const { outputFiles, metafile } = await bundled({
    entryPoints: ["theme.ts", "converter.tsx", "automate.tsx", "jobs.tsx", "operate.tsx", "docs.ts", "style.css"].map(pathOf),
    bundle: true,
    splitting: true,
    format: "esm",
    target: targets,
    minify: true,
    // Messages are parsed on the server, so the browser needs no parser.
    alias: { "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/no-parser.js" },
    write: false,
    metafile: true,
    outdir: "/",
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    legalComments: "none",
    logLevel: "silent",
  });
  const assets = new Map<string, Asset>();
  const entries = new Map<EntryName, { name: string; imports: readonly string[] }>();
  for (const { path, contents } of outputFiles) assets.set(basename(path), await assetOf(basename(path), Buffer.from(contents)));
  for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
    const entry = entryNames.find((name) => entryPoint !== undefined && basename(entryPoint).replace(/\.\w+$/, "") === name);
    const wanted = imports.filter(({ kind }) => kind === "import-statement").map((each) => basename(each.path));
    if (entry !== undefined) entries.set(entry, { name: basename(path), imports: wanted });
  }
  for (const [entry, path] of [["icon", "icon.svg"], ...iconNames.map((name) => [name, `icons/${name}.png`] as const)] as const) {
    const icon = await readFile(pathOf(path));
    const name = hashedName(entry, path.split(".").at(-1) ?? "", icon);
    assets.set(name, await assetOf(name, icon));
    entries.set(entry, { name, imports: [] });
  }
  return { assets, entries };
}

/** The service worker as a single file, because its URL must not change. */
export async function bundleWorker(): Promise<Compressed> {
  const { outputFiles } = await bundled({
    ...{ entryPoints: [pathOf("worker.ts")], bundle: true, format: "iife", target: targets, minify: true, write: false },
    ...{ legalComments: "none", logLevel: "silent" },
  });
  return compressedOf(Buffer.from(outputFiles[0]?.contents ?? []), 9);
}

export function hashedName(stem: string, extension: string, body: Buffer): string {
  return `${stem}-${createHash("sha256").update(body).digest("hex").slice(0, 8)}.${extension}`;
}

export async function assetOf(name: string, body: Buffer): Promise<Asset> {
  const contentType = contentTypes[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  return { contentType, representations: await compressedOf(body, 9) };
}
