/** What librsvg silently draws otherwise: fonts that are not installed, and what it does not support. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { isGzip, startOfGzip } from "#services/conversion/domain/guards/gzip.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { needsOthers, undrawnIn } from "#services/conversion/engines/pictures/svg-undrawn.mjs";
import { contentOf } from "./remote-file.ts";

const lookedAtBytes = 4_000_000;

/** Names that stand for any available font. @see CSS Fonts Module Level 4, 2.1.3 */
const generic = /^(serif|sans|sans-serif|mono|monospace|cursive|system-ui|ui-[a-z-]+|emoji|math|fangsong|inherit|initial|unset)$/;
const ofAttribute = /\bfont-family\s{0,9}=\s{0,9}(?:"([^"<>]{1,400})"|'([^'<>]{1,400})')/g;
/** In a style attribute the text ends with its quote. In a style sheet, names are in double quotes. */
const ofStyle = /\bfont-family\s{0,9}:((?:'[^'<>]{1,80}'|(?<=[:,]\s{0,9})"[^"<>;:]{1,80}"|[^;}<>"']){1,400})/g;

/** Removes what differs between spellings of a name. */
export function comparableFamily(name: string): string {
  return name.replaceAll(/[\s_-]/g, "").toLowerCase();
}

/** The first family of each list without an installed one. `here`: comparable names. */
export function familiesMissing(svg: string, here: ReadonlySet<string>): readonly string[] {
  if (!/<(?:\w+:)?text\b/.test(svg)) return [];
  const plain = svg.replaceAll(/&(?:quot|apos|#34|#39);/g, "'");
  const lists = [...plain.matchAll(ofAttribute), ...plain.matchAll(ofStyle)].map(([, first, second]) => first ?? second ?? "");
  const missing = [...new Set(lists)].flatMap((list) => {
    const names = list.split(",").map((name) => name.replaceAll(/["']|!important/g, "").trim());
    const own = names.filter((name) => name !== "" && !generic.test(name.toLowerCase()));
    return own.some((name) => here.has(comparableFamily(name))) ? [] : own.slice(0, 1);
  });
  return [...new Set(missing)];
}

/** `here`: the installed families. `kinds`: of embedded pictures that are not drawn. */
export async function missingFontsOf(file: ByteSource, here: unknown, kinds: unknown): Promise<Answer<"missingFonts">> {
  const families = new Set(Array.isArray(here) ? here.map((name) => comparableFamily(String(name))) : []);
  const start = isGzip(file.head) ? (await startOfGzip(file, lookedAtBytes)).head : await contentOf(file, lookedAtBytes);
  const svg = start.toString("utf8");
  const undrawn = undrawnIn(svg, Array.isArray(kinds) ? kinds.map(String) : []);
  return { families: familiesMissing(svg, families).slice(0, 100), undrawn, needsOthers: needsOthers(svg) };
}
