/** Rewrites a text format as itself: white space, order, separators or encoding. Values keep their spelling, character by character. */
import { visit } from "jsonc-parser";
import { type Scalar, visit as visitYaml } from "yaml";
import { type Converted, type Notes, numberOption, type Options, type Question, textOption } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { decodeText, xmlEncodingIn } from "../text-decoding.ts";
import { linesOf, textOfLines } from "./csv.ts";
import { notJson } from "./json.ts";
import { encodeText } from "./own-encoding.ts";
import { rewriteXml } from "./own-xml.ts";
import { maxDepth, tooDeep } from "./values.ts";
import { documentsOf, escapeUnwritable, exactTag, floatTag, quoteUnwritable, sourceOf } from "./yaml.ts";

export function rewriteData(bytes: Buffer, { from, options }: Question, notes: Notes): Converted {
  const declared = from === "xml" ? xmlEncodingIn(bytes) : undefined;
  const text = decodeText(bytes, textOption(options, "encoding") ?? "auto", notes, declared).replace(/^\uFEFF/, "");
  switch (from) {
    case "json":
      return withLineEnds(`${rewriteJson(text, options)}\n`, options);
    case "ndjson":
      return withLineEnds(rewriteLines(text, options), options);
    case "yaml":
      return withLineEnds(rewriteYaml(text, options), options);
    case "xml":
      return withLineEnds(rewriteXml(text, numberOption(options, "indent") ?? 2), options);
    case "csv":
    case "tsv":
    case "psv":
      return rewriteTable(text, from, options, notes);
    default:
      throw new Failure("INTERNAL", "No such pair.");
  }
}

function withLineEnds(text: string, options: Options): string {
  return options.lineEnds === "crlf" ? text.replace(/\r?\n/g, "\r\n") : text;
}

function rewriteTable(text: string, format: string, options: Options, notes: Notes): Converted {
  const table = textOfLines(linesOf(text, format, options, notes), format, options);
  return encodeText(
    options.lineEnds === "lf" ? table.replaceAll("\r\n", "\n") : table,
    textOption(options, "outputEncoding") ?? "utf-8",
    notes,
  );
}

/** A literal as in the source, or the members of a list or object; those of an object have names. */
type Node = string | { readonly isList: boolean; readonly members: { readonly name: string; value: Node }[] };

function nodeOf(source: string): Node {
  const open: { readonly into: Exclude<Node, string>; name: string }[] = [];
  const roots: Node[] = [];
  const put = (value: Node): void => {
    const inner = open.at(-1);
    if (inner === undefined) roots.push(value);
    else inner.into.members.push({ name: inner.name, value });
  };
  const begin = (isList: boolean): void => {
    if (open.length >= maxDepth) throw tooDeep();
    const into = { isList, members: [] };
    put(into);
    open.push({ into, name: "" });
  };
  const end = () => void open.pop();
  const sliced = (offset: number, length: number) => source.slice(offset, offset + length);
  visit(
    source,
    {
      onObjectBegin: () => begin(false),
      onArrayBegin: () => begin(true),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: (_name, offset, length) => {
        const inner = open.at(-1);
        if (inner !== undefined) inner.name = sliced(offset, length);
      },
      onLiteralValue: (_value, offset, length) => put(sliced(offset, length)),
      onError: (code, _offset, _length, line) => {
        throw notJson(code, line);
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  const [root] = roots;
  if (roots.length !== 1 || root === undefined) throw invalid("The file is not one JSON value.");
  return root;
}

function rewriteJson(source: string, options: Options, indent = numberOption(options, "indent") ?? 2): string {
  const step = " ".repeat(indent);
  const write = (node: Node, margin: string): string => {
    if (typeof node === "string") return node;
    const [first, last] = node.isList ? "[]" : "{}";
    if (node.members.length === 0) return `${first}${last}`;
    const members = options.sortKeys === true && !node.isList ? node.members.toSorted(byName) : node.members;
    const gap = indent === 0 ? "" : " ";
    const parts = members.map(({ name, value }) => `${node.isList ? "" : `${name}:${gap}`}${write(value, margin + step)}`);
    if (indent === 0) return `${first}${parts.join(",")}${last}`;
    return `${first}\n${parts.map((part) => `${margin}${step}${part}`).join(",\n")}\n${margin}${last}`;
  };
  return write(nodeOf(source), "");
}

/** Compares unescaped names; repeated names keep their order. */
function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  const [a, b]: [string, string] = [JSON.parse(one.name), JSON.parse(other.name)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function rewriteLines(text: string, options: Options): string {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => `${rewriteJson(line.trim(), options, 0)}\n`)
    .join("");
}

/** Comments, anchors and tags stay; numbers keep their spelling. */
function rewriteYaml(text: string, options: Options): string {
  const indent = Math.max(1, numberOption(options, "indent") ?? 2);
  return documentsOf(text, { customTags: [exactTag], uniqueKeys: false })
    .map((document, index) => {
      visitYaml(document, {
        Scalar: (_key, node: Scalar) => {
          const isFloat = node.tag === floatTag && /^[-+]?\.(inf|nan)$/i.test(String(node.value));
          quoteUnwritable(node);
          if (typeof node.value !== "number" && typeof node.value !== "bigint" && !isFloat) return;
          node.value = sourceOf(node);
          // `!!int "7"` becomes 7, and `!!float -.inf` does not become NaN: the library would write a tagged value by its tag's rules.
          delete node.tag;
        },
        Map: (_key, map) => {
          if (options.sortKeys === true) map.items.sort((one, other) => byText(String(one.key), String(other.key)));
        },
      });
      const written = escapeUnwritable(document.toString({ indent, lineWidth: 0 }));
      return index > 0 && !written.startsWith("---") && !/^%/.test(written) ? `---\n${written}` : written;
    })
    .join("");
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
