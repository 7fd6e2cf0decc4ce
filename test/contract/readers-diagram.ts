/** Counts the nodes and edges of a graph without the programs that write it. */
import { readFile } from "node:fs/promises";

export type GraphReading = { readonly nodes: number; readonly edges: number };

/** @throws Error for a format without a reader here. */
export async function graphOf(path: string, format: string): Promise<GraphReading> {
  const text = await readFile(path, "utf8");
  const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
  switch (format) {
    case "json": {
      const { objects = [], edges = [] }: { objects?: readonly { nodes?: unknown }[]; edges?: readonly unknown[] } = JSON.parse(text);
      return { nodes: objects.filter((each) => each.nodes === undefined).length, edges: edges.length };
    }
    case "graphml":
      return { nodes: count(/<node\b/g), edges: count(/<edge\b/g) };
    case "gv":
    case "xdot": {
      const edges = count(/^\s*"?\w+"?\s*-[->]\s*"?\w+"?/gm);
      const names = new Set(
        [...text.matchAll(/^\s*"?(\w+)"?(?:\s*-[->]\s*"?(\w+)"?)?\s*(?:\[|;)/gm)].flatMap(([, a = "", b]) =>
          b === undefined ? [a] : [a, b],
        ),
      );
      for (const keyword of ["graph", "node", "edge", "digraph"]) names.delete(keyword);
      return { nodes: names.size, edges };
    }
    default:
      throw new Error(`no reader of ${format}`);
  }
}
