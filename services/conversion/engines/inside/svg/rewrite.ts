/**
 * Rewrites SVG with svgo without changing how it looks: fewer digits and
 * bytes; scripts, references and descriptions are removed on request.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { type CustomPlugin, optimize, type PluginConfig } from "svgo/browser";
import { type Converted, type Notes, numberOption, type Question } from "../exchange.ts";
import { Failure, invalid, tooComplex } from "../failure.ts";
import { decodeText } from "../text-decoding.ts";
import { assertShallowXml } from "../xml-depth.ts";
import { digitsFor } from "./digits.ts";

const maxDepth = 400;
const maxUnpackedBytes = 50_000_000;

export function rewriteSvg(bytes: Buffer, question: Question, notes: Notes): Converted {
  const { from, options } = question;
  const isPacked = from === "svgz";
  const source = decodeText(isPacked ? unpacked(bytes) : bytes, "auto", notes);
  assertShallowXml(source, maxDepth);
  const written = optimised(source, question);
  const result = isPacked ? gzipSync(written, { level: 9 }) : Buffer.from(written);
  const isAsked = ["metadata", "scripts", "external"].some((name) => options[name] === "strip");
  if (isAsked || result.length < bytes.length) return result;
  notes.set("SOURCE_KEPT", undefined);
  return bytes;
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooComplex("The drawing is too large when decompressed.");
    throw invalid("The file is damaged or is not a compressed SVG.");
  }
}

function optimised(source: string, { options }: Question): string {
  try {
    return optimize(source, {
      multipass: true,
      floatPrecision: numberOption(options, "precision") ?? digitsFor(source),
      plugins: [
        ...harmless,
        ...(options.metadata === "strip" ? descriptions : []),
        ...(options.scripts === "strip" ? ["removeScripts" as const] : []),
        ...(options.external === "strip" ? [withoutOthers] : []),
      ],
    }).data;
  } catch (error) {
    if (error instanceof Error && error.name === "SvgoParserError") throw invalid("The drawing is damaged or is not SVG.");
    if (error instanceof RangeError) throw new Failure("INPUT_TOO_COMPLEX", "The drawing is too large or has too many parts to convert.");
    throw error;
  }
}

/** Removes no hidden elements, names or styles: scripts, animations and other documents may refer to them. */
const harmless: readonly PluginConfig[] = [
  ...(["cleanupAttrs", "cleanupNumericValues", "convertColors", "convertTransform", "convertPathData", "removeEmptyAttrs"] as const),
  ...(["removeUnusedNS", "removeEmptyText", "sortDefsChildren"] as const),
];

const descriptions: readonly PluginConfig[] = [
  ...(["removeComments", "removeMetadata", "removeEditorsNSData", "removeTitle", "removeDesc"] as const).map((name) =>
    name === "removeDesc" ? { name, params: { removeAny: true } } : name,
  ),
];

const isInside = (address: string): boolean => /^\s*(#|data:|$)/i.test(address);

/** Hyperlinks stay: they fetch nothing. */
const withoutOthers: CustomPlugin = {
  name: "withoutOthers",
  fn: () => ({
    element: {
      enter(node, parent) {
        if (node.name === "style") {
          for (const child of node.children) if (child.type === "text" || child.type === "cdata") child.value = ownStyle(child.value);
          return;
        }
        const isFetched = node.name !== "a" && node.name !== "svg:a";
        for (const [name, value] of Object.entries(node.attributes)) {
          const isAddress = /^(?:[\w.-]+:)?(?:href|src)$/i.test(name);
          if ((isAddress && isFetched && !isInside(value)) || (!isAddress && ownStyle(value) !== value)) delete node.attributes[name];
        }
        const isEmptied =
          /^(?:image|feImage|script|link)$/.test(node.name) && !Object.keys(node.attributes).some((name) => /href|src/i.test(name));
        if (isEmptied && node.children.length === 0) parent.children = parent.children.filter((child) => child !== node);
      },
    },
    instruction: {
      enter(node, parent) {
        if (node.name === "xml-stylesheet") parent.children = parent.children.filter((child) => child !== node);
      },
    },
  }),
};

/** A style without external references. */
function ownStyle(style: string): string {
  const [first = "", ...rest] = withoutImports(style).split(/url\(/i);
  return first + rest.map(ownAddress).join("");
}

function withoutImports(style: string): string {
  const [first = "", ...rest] = style.split(/@import/i);
  return first + rest.map((each) => each.slice(each.includes(";") ? each.indexOf(";") + 1 : each.length)).join("");
}

/** `rest`: what follows `url(`. */
function ownAddress(rest: string): string {
  const end = rest.indexOf(")");
  const address = rest
    .slice(0, end < 0 ? rest.length : end)
    .trimStart()
    .replace(/^["']/, "");
  if (isInside(address)) return `url(${rest}`;
  return end < 0 ? "none" : `none${rest.slice(end + 1)}`;
}
