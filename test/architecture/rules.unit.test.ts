import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { exceptions } from "./exceptions.ts";
import { climbs, mayImport, placeOf } from "./layers.ts";
import type { Import, SourceFile } from "./source-file.ts";
import { pathsBelow, readTree, root } from "./source-tree.ts";

const sources = readTree("services", "gateway");
const tests = readTree("test");
const all = [...sources, ...tests];
/** In the languages of the tools: of what runs inside them, of the pages' looks, and of foreign programs that tests run. */
const others = pathsBelow(["services", "gateway", "test"])
  .filter((path) => /\.(py|lua|css)$/.test(path) && !path.startsWith("test/corpus/"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8").trimEnd().split("\n") }));
const used = new Set<string>();

/** Violations of a rule, without its exceptions. */
function broken(rule: string, findings: readonly { readonly path: string; readonly what: string }[]): string[] {
  return findings
    .filter(({ path }) => {
      const exception = exceptions.find((row) => row.rule === rule && row.path === path);
      if (exception !== undefined) used.add(`${rule} ${path}`);
      return exception === undefined;
    })
    .map(({ path, what }) => `${path}: ${what}`);
}

const eachImport = (files: readonly SourceFile[], isWrong: (entry: Import, file: SourceFile) => boolean) =>
  files.flatMap((file) =>
    file.imports.filter((entry) => isWrong(entry, file)).map((entry) => ({ path: file.path, what: `imports ${entry.specifier}` })),
  );
const eachFile = (files: readonly SourceFile[], whatOf: (file: SourceFile) => readonly string[]) =>
  files.flatMap((file) => whatOf(file).map((what) => ({ path: file.path, what })));

const under = (path: string, ...folders: readonly string[]): boolean => folders.some((folder) => path.startsWith(folder));
/** Entry points of a process: a service, the command, or a child process. */
const isMain = (path: string): boolean => basename(path) === "main.ts" || path.endsWith("-child.mjs");

afterAll(() => {
  const needless = exceptions.filter(({ rule, path }) => !used.has(`${rule} ${path}`));
  expect(needless).toEqual([]);
});

test("the checks cover the source tree", () => {
  expect(sources.length).toBeGreaterThan(120);
  expect(tests.length).toBeGreaterThan(60);
  expect(sources.flatMap((file) => file.imports).length).toBeGreaterThan(500);
  expect(sources.flatMap((file) => file.functions).length).toBeGreaterThan(1000);
});

describe("imports", () => {
  test("resolve to existing files", () => {
    expect(eachImport(all, ({ file }) => file !== undefined && !existsSync(join(root, file)))).toEqual([]);
  });

  test("every file belongs to a layer", () => {
    expect(
      broken(
        "place",
        eachFile(sources, ({ path }) => (placeOf(path) === undefined ? ["has no place in the house"] : [])),
      ),
    ).toEqual([]);
  });

  test("follow the layers: gen, contract, kit, formats, domain, adapters/engines/rpc, index, compose, main", () => {
    const wrong = eachImport(all, ({ file }, { path }) => {
      const [from, to] = [placeOf(path), file === undefined ? undefined : placeOf(file)];
      return from !== undefined && to !== undefined && !mayImport(from, to);
    });
    expect(broken("layers", wrong)).toEqual([]);
  });

  test("follow the order of the gateway's folders, from routes to http", () => {
    expect(climbs("gateway/rest/convert.ts", "gateway/routes/register.ts")).toBe(true);
    expect(eachImport(sources, ({ file }, { path }) => file !== undefined && climbs(path, file))).toEqual([]);
  });

  test("no file imports a main.ts", () => {
    expect(eachImport(all, ({ file }) => file !== undefined && isMain(file))).toEqual([]);
  });

  test("domain code does no I/O", () => {
    const forbidden =
      /^(node:(fs|net|http|https|http2|tls|dgram|child_process|worker_threads|cluster)|@connectrpc\/.*|nats|fastify|@fastify\/.*|pino|sharp)$/;
    const wrong = eachImport(sources, (entry, { path }) => path.split("/")[2] === "domain" && forbidden.test(entry.module ?? ""));
    expect(broken("pure domain", wrong)).toEqual([]);
  });

  test("only the sandbox, the broker's starter and the setup start processes", () => {
    const wrong = eachImport(
      sources,
      ({ specifier }, { path }) =>
        /^(node:)?child_process$/.test(specifier) && !under(path, "services/conversion/sandbox/", "services/kit/nats/", "gateway/setup/"),
    );
    expect(broken("child_process", wrong)).toEqual([]);
  });

  test("libvips is loaded only inside the sandbox", () => {
    const wrong = eachImport(sources, ({ specifier }) => specifier === "sharp");
    expect(broken("sharp", wrong)).toEqual([]);
  });

  test("no engine imports another engine", () => {
    const registry = sources.find(({ path }) => path === "services/conversion/engines/registry.ts");
    const engines = new Set(registry?.imports.flatMap(({ file }) => (file?.startsWith("services/conversion/engines/") ? [file] : [])));
    expect(engines.size).toBeGreaterThanOrEqual(5);
    const wrong = eachImport(
      sources,
      ({ file }, { path }) =>
        under(path, "services/conversion/engines/") && file !== undefined && engines.has(file) && basename(path) !== "registry.ts",
    );
    expect(broken("engines", wrong)).toEqual([]);
  });

  test("use # across folders, ./ within one, and ../ only between a service's own folders", () => {
    const wrong = eachImport(all, ({ specifier, file }, { path }) => {
      if (specifier.startsWith("./")) return false;
      if (!specifier.startsWith(".")) return false;
      const service = path.split("/").slice(0, 2).join("/");
      return specifier.startsWith("../../") || !under(path, "services/") || !under(file ?? "", `${service}/`);
    });
    expect(broken("aliases", wrong)).toEqual([]);
  });

  test("have no cycles", () => {
    expect(cyclesOf(all)).toEqual([]);
  });
});

describe("files", () => {
  test("have at most 300 lines", () => {
    const sized = [...all, ...others.map(({ path, text }) => ({ path, lines: text.length }))];
    const long = sized.flatMap(({ path, lines }) => (lines > 300 ? [{ path, what: `${lines} lines` }] : []));
    expect(broken("file length", long)).toEqual([]);
  });

  test("have functions of at most 60 lines, including nested ones", () => {
    const sized = all.filter(({ path }) => !path.endsWith(".test.ts"));
    const wrong = eachFile(sized, ({ functions }) =>
      functions.filter(({ lines }) => lines > 60).map(({ line, lines }) => `line ${line}: a function of ${lines} lines`),
    );
    const python = others.flatMap(({ path, text }) =>
      path.endsWith(".py") ? pythonFunctions(text).map((each) => ({ path, ...each })) : [],
    );
    expect(python.length).toBeGreaterThan(300);
    const long = python.flatMap(({ path, line, lines }) =>
      lines > 60 ? [{ path, what: `line ${line}: a function of ${lines} lines` }] : [],
    );
    expect(broken("function length", [...wrong, ...long])).toEqual([]);
  });

  test("have descriptive names in kebab-case", () => {
    const paths = pathsBelow(["services", "gateway", "test"]).filter(
      (path) => !under(path, "test/corpus/", "test/fuzz/regressions/", "services/decisions/", "services/catalogue/.gitattributes"),
    );
    const vague = /^(utils?|helpers?|common|misc|types)$/;
    const wrong = paths.flatMap((path) => {
      const parts = path.split("/").slice(1);
      const stem = basename(path).split(".")[0] ?? "";
      const isKebab = parts.every(
        (part) =>
          /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(part) ||
          /^(README|REFERENCE|SECURITY|FORMATS|OPERATING|BENCHMARKS)\.md$/.test(part),
      );
      return isKebab && !vague.test(stem) ? [] : [{ path, what: "is not a good name" }];
    });
    expect(broken("names", wrong)).toEqual([]);
  });

  test("have no default exports", () => {
    const wrong = eachFile(all, ({ hasDefaultExport }) => (hasDefaultExport ? ["exports by default"] : []));
    expect(broken("default export", wrong)).toEqual([]);
  });

  test("access the environment, exit code and console only at entry points", () => {
    const inner = sources.filter(({ path }) => !isMain(path) && !under(path, "gateway/setup/"));
    const wrong = eachFile(inner, ({ memberAccesses }) =>
      [...memberAccesses].filter((access) => /^(process\.(env|exit|exitCode|argv)|console\.\w+)$/.test(access)),
    );
    expect(broken("process", wrong)).toEqual([]);
  });
});

test("every decision has a unique number, in its file name and title", () => {
  const decisions = pathsBelow(["services/decisions"]).map((path) => ({ path, number: basename(path).slice(0, 4) }));
  expect(new Set(decisions.map(({ number }) => number)).size).toBe(decisions.length);
  for (const { path, number } of decisions) expect(readFileSync(join(root, path), "utf8")).toMatch(new RegExp(`^# ${Number(number)}\\. `));
});

test("tests mirror the source tree", () => {
  const free = ["architecture", "attacks", "bench", "checks", "contract", "e2e", "faults", "fuzz", "harness", "prove", "values"].map(
    (folder) => `test/${folder}/`,
  );
  const mirrored = tests.filter(({ path }) => path.endsWith(".test.ts") && !under(path, ...free));
  expect(mirrored.length).toBeGreaterThan(30);
  const wrong = mirrored
    .filter(({ path }) => !existsSync(join(root, dirname(path.slice("test/".length)))))
    .map(({ path }) => ({ path, what: "mirrors no folder" }));
  expect(broken("mirror", wrong)).toEqual([]);
  const unkind = tests.filter(({ path }) => path.endsWith(".test.ts") && !/\.(unit|int|e2e|hosts)\.test\.ts$/.test(path));
  expect(unkind.map(({ path }) => path)).toEqual([]);
});

/** Files of each import cycle, by the shortest path. */
function cyclesOf(files: readonly SourceFile[]): string[] {
  const importsOf = new Map(files.map((file) => [file.path, file.imports.flatMap(({ file: target }) => target ?? [])]));
  const state = new Map<string, "open" | "done">();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      cycles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
      return;
    }
    state.set(path, "open");
    for (const target of importsOf.get(path) ?? []) visit(target, [...way, path]);
    state.set(path, "done");
  };
  for (const file of files) visit(file.path, []);
  return cycles;
}

/** A function of Python ends before the next line that is indented no deeper, except for the bracket that closes its parameters. */
function pythonFunctions(text: readonly string[]): readonly { readonly line: number; readonly lines: number }[] {
  const ended: { line: number; lines: number }[] = [];
  const open: { line: number; indent: number }[] = [];
  let last = 0;
  const close = (indent: number): void => {
    for (let inner = open.at(-1); inner !== undefined && inner.indent >= indent; inner = open.at(-1)) {
      ended.push({ line: inner.line, lines: last - inner.line + 1 });
      open.pop();
    }
  };
  for (const [index, content] of text.entries()) {
    const indent = content.search(/[^ ]/);
    if (indent < 0) continue;
    if (content[indent] !== ")") close(indent);
    if (/^ *(async )?def /.test(content)) open.push({ line: index + 1, indent });
    last = index + 1;
  }
  close(0);
  return ended;
}
