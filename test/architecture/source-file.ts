/** A source file as the rules see it: its imports, its length and that of its functions, and its use of the process. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type Argument, type CallExpression, type EcmaScriptModule, type NewExpression, parseSync, Visitor } from "oxc-parser";

export type Import = {
  /** As written. */
  readonly specifier: string;
  /** For one of our files: its path from the root. */
  readonly file: string | undefined;
  /** For anything else: the package's name or node:…. */
  readonly module: string | undefined;
};

export type SourceFile = {
  /** From the root, for example services/job/rpc.ts. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Imports that exist at run time, not those of types. */
  readonly loads: readonly Import[];
  /** Imported names by module; `*` for a namespace import. */
  readonly importedNames: readonly { readonly module: string; readonly name: string }[];
  readonly hasDefaultExport: boolean;
  /** `lines` includes those of nested functions. */
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  /** For example console.log or process.env. */
  readonly memberAccesses: ReadonlySet<string>;
  /** Regular expressions as written; `source` is undefined if it is built at run time. */
  readonly patterns: readonly { readonly line: number; readonly source: string | undefined; readonly flags: string }[];
};

const aliases: Readonly<Record<string, string>> = {
  "#gen/": "gen/",
  "#contract/": "services/contract/",
  "#kit/": "services/kit/",
  "#formats/": "services/formats/",
  "#services/": "services/",
  "#gateway/": "gateway/",
  "#client/": "gateway/web/client/",
  "#test/": "test/",
};

export function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;

  const functions: { line: number; lines: number }[] = [];
  const memberAccesses = new Set<string>();
  const patterns: SourceFile["patterns"][number][] = [];
  const onMade = ({ callee, arguments: [written, flags], start }: CallExpression | NewExpression): void => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp") return;
    patterns.push({ line: lineOf(start), source: textOf(written), flags: textOf(flags) ?? "" });
  };
  const onFunction = ({ start, end }: { start: number; end: number }): void => {
    const line = lineOf(start);
    functions.push({ line, lines: lineOf(end) - line + 1 });
  };
  new Visitor({
    FunctionDeclaration: onFunction,
    FunctionExpression: onFunction,
    ArrowFunctionExpression: onFunction,
    MemberExpression({ object, property }) {
      if (object.type === "Identifier" && property.type === "Identifier") memberAccesses.add(`${object.name}.${property.name}`);
    },
    CallExpression: onMade,
    NewExpression: onMade,
    Literal(literal) {
      if ("regex" in literal) patterns.push({ line: lineOf(literal.start), source: literal.regex.pattern, flags: literal.regex.flags });
    },
  }).visit(program);

  const { loaded, specifiers } = importsIn(module, text);
  return {
    path,
    lines: text.trimEnd().split("\n").length,
    imports: [...new Set(specifiers)].map((specifier) => importOf(path, specifier)),
    loads: [...new Set(loaded)].map((specifier) => importOf(path, specifier)),
    importedNames: module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.filter(({ isType }) => !isType).map(({ importName }) => ({ module: moduleRequest.value, name: importName.name ?? "*" })),
    ),
    hasDefaultExport: module.staticExports.some(({ entries }) => entries.some(({ exportName }) => exportName.kind === "Default")),
    functions,
    memberAccesses,
    patterns,
  };
}

function importsIn(module: EcmaScriptModule, text: string): { readonly loaded: string[]; readonly specifiers: string[] } {
  const loaded = [
    // `import { type A } from` loads the file: Node removes only the types and keeps the statement.
    ...module.staticImports
      .filter(({ start }) => !/^import\s+type\b/.test(text.slice(start, start + 16)))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports
      .filter(({ start }) => !/^export\s+type\b/.test(text.slice(start, start + 16)))
      .flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...module.dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ];
  const specifiers = [
    ...loaded,
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  ];
  return { loaded, specifiers };
}

/** The value of a string literal. */
function textOf(node: Argument | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function importOf(path: string, specifier: string): Import {
  if (specifier.startsWith(".")) return { specifier, file: normalize(join(dirname(path), specifier)), module: undefined };
  const alias = Object.entries(aliases).find(([prefix]) => specifier.startsWith(prefix));
  if (alias !== undefined) return { specifier, file: alias[1] + specifier.slice(alias[0].length), module: undefined };
  const [scope = "", name = ""] = specifier.split("/");
  return { specifier, file: undefined, module: scope.startsWith("@") ? `${scope}/${name}` : scope };
}
