/** YAML 1.2 (core schema): what looks like a date stays the text that it is. */
import { parseAllDocuments, type ScalarTag, stringify, visit, YAMLError } from "yaml";
import { type Notes, numberOption, type Options } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { withoutTrailing } from "../trailing.ts";
import { Exact, maxDepth, simplify, tooDeep, type Value, valueFrom } from "./values.ts";

/** Anchors that are used again and again make a small file huge. */
const maxAliases = 1000;

/** Several documents are a list. */
export function parseYaml(text: string): Value {
  assertShallow(text);
  const documents = parseAllDocuments(text, { intAsBigInt: true, merge: true, customTags: ["binary"], logLevel: "error", strict: false });
  if (!Array.isArray(documents) || documents.length === 0) return null;
  const values = documents.map((document) => {
    const [error] = document.errors;
    // So the library calls its own want of stack, which it has with what is nested in other ways than by brackets.
    if (error?.code === "RESOURCE_EXHAUSTION") throw tooDeep();
    if (error !== undefined) throw invalid(`The file is not YAML: ${firstLine(error.message)}`);
    let aliases = 0;
    visit(document, {
      Alias: () => {
        if (++aliases > maxAliases) throw tooComplex("The file repeats too many of its parts by reference.");
      },
      Scalar: (_key, node) => {
        if (typeof node.value === "number" && node.source !== undefined) node.value = exactOf(node.source, node.value);
      },
    });
    try {
      return valueFrom(document.toJS({ mapAsMap: true, maxAliasCount: 100 }));
    } catch (error) {
      if (error instanceof ReferenceError) throw tooComplex("The file expands to far more than its size.");
      if (error instanceof YAMLError) throw invalid("The file is not YAML.");
      throw error;
    }
  });
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

function exactOf(source: string, number: number): unknown {
  const isDecimal = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(source);
  const [mantissa = ""] = source.split(/e/i, 1);
  const digits = withoutTrailing(mantissa.replace(/\D/g, "").replace(/^0+/, ""), "0");
  return isDecimal && (digits.length > 15 || !Number.isFinite(number)) ? new Exact(source) : number;
}

/** The library descends once per level and has no bound of its own. */
function assertShallow(text: string): void {
  let depth = 0;
  for (const bracket of text.matchAll(/[[{\]}]/g)) {
    depth += bracket[0] === "[" || bracket[0] === "{" ? 1 : -1;
    if (depth > maxDepth * 5) throw tooDeep();
  }
}

const firstLine = (text: string) => (text.split("\n", 1)[0] ?? "").replace(/:$/, "").slice(0, 160);

export function writeYaml(value: Value, options: Options, notes: Notes): string {
  const simple = simplify(value, { integers: "any", exact: true, infinite: true, bytes: true }, notes);
  const indent = Math.max(1, numberOption(options, "indent") ?? 2);
  // Readers of YAML 1.1, of which there are many, take NO for a truth value and 1:30 for ninety.
  const compat = "yaml-1.1";
  return stringify(simple, { indent, lineWidth: 0, aliasDuplicateObjects: false, customTags: ["binary", exactTag], compat });
}

/** A number that no double holds is written as it was. */
const exactTag: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => value instanceof Exact,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Exact ? value.text : String(value)),
};
