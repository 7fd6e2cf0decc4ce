import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { graphvizEngine } from "#services/conversion/engines/documents/graphviz.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { graphOf } from "#test/contract/readers-diagram.ts";

const run = promisify(execFile);
const graph = 'digraph g { a [label="Quokka Ünïcødé"]; a -> b -> c; a -> c [label="zebra"] }\n';
const graphml =
  '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="g" edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/><edge source="a" target="b"/><edge source="b" target="c"/><edge source="a" target="c"/></graph></graphml>';

const bench = useBench(graphvizEngine);

async function sample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  if (format === "xdot") return (await bench.convert(await sample("gv", folder), "gv", "xdot")).path;
  await writeFile(path, format === "gv" ? graph : graphml);
  return path;
}

testEngine(graphvizEngine, {
  sample,
  async check({ to }, reading, path) {
    if (to === "pdf" || to === "eps" || to === "ps") {
      const pdf = to === "pdf" ? path : join(bench.folder, "drawn.pdf");
      if (to !== "pdf") await run("gs", ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", `-sOutputFile=${pdf}`, path]);
      return expect((await run("pdftotext", [pdf, "-"])).stdout).toContain("zebra");
    }
    if (["png", "jpg", "gif", "webp"].includes(to)) return expect(Math.min(reading.width ?? 0, reading.height ?? 0)).toBeGreaterThan(80);
    if (to === "svg" || to === "svgz") {
      const bytes = await readFile(path);
      const text = (to === "svgz" ? gunzipSync(bytes) : bytes).toString("utf8");
      expect(text.match(/class="edge"/g)).toHaveLength(3);
      return expect(text).toContain("Ünïcødé");
    }
    if (to === "fig") return expect(await readFile(path, "latin1")).toContain("zebra");
    if (to === "vrml") return expect(await readFile(path, "latin1")).toContain("#VRML V2.0");
    expect(await graphOf(path, to)).toEqual({ nodes: 3, edges: 3 });
  },
});

describe("engine graphviz, in detail", () => {
  const convert = async (text: string, to: string, options = {}) => {
    const path = join(bench.folder, "own.gv");
    await writeFile(path, text);
    return await bench.convert(path, "gv", to, options);
  };

  it("draws with the requested resolution, direction and layout", async () => {
    const widthOf = async (options: object) => (await readingOf((await convert(graph, "png", options)).path)).width ?? 0;
    expect((await widthOf({ dpi: 192 })) / (await widthOf({ dpi: 96 }))).toBeCloseTo(2, 1);
    expect(await widthOf({ direction: "LR" })).toBeGreaterThan(await widthOf({ direction: "TB" }));
    expect(await readFile((await convert(graph, "svg", { layout: "circo" })).path)).not.toEqual(
      await readFile((await convert(graph, "svg")).path),
    );
  });

  it("reports the line of a syntax error", async () => {
    await expect(convert("digraph g {\n a -> \n}\n", "svg")).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("line 3"),
    });
  });

  it.each(["svg", "png", "json", "graphml"])("says that only the first of several graphs becomes %s", async (to) => {
    const { path, notes } = await convert("digraph one { a -> ä }\ndigraph two { c -> d }\n", to);
    expect(notes.get("PAGES_LEFT_OUT")).toBe("Only the first of 2 graphs was converted.");
    if (to === "graphml")
      expect(await readFile(path, "utf8")).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>[\s\S]*ä[\s\S]*<\/gxl>\n$/);
  });

  it("reads the mark of UTF-8, and names another encoding", async () => {
    expect([...(await convert("\uFEFFdigraph { a -> b }", "svg")).notes]).toEqual([]);
    const path = join(bench.folder, "latin.gv");
    await writeFile(path, Buffer.from('digraph { a [label="Größe"] }', "latin1"));
    const { notes, path: made } = await bench.convert(path, "gv", "svg");
    expect([...notes.keys()]).toEqual(["ENCODING_GUESSED"]);
    expect(await readFile(made, "utf8")).toContain("Größe");
  });

  it("keeps data, directions and inner graphs of GraphML, and names what DOT does not hold", async () => {
    const keys =
      '<key id="d0" for="node" attr.name="label"/><key id="d1" for="edge" attr.name="weight"><default>2</default></key><key id="d2" for="node"/>';
    const drawn = '<node id="c"><data key="d2"><y:ShapeNode xmlns:y="y"><y:NodeLabel>Quokka</y:NodeLabel></y:ShapeNode></data></node>';
    const text = `<graphml>${keys}<graph id="g" edgedefault="directed"><node id="a"><data key="d0">a "b" \\ ü</data><graph edgedefault="directed"><node id="b"/></graph></node>${drawn}<edge source="a" target="b" directed="false"><data key="d1">1.5</data></edge><edge source="b" target="c"/><hyperedge/></graph></graphml>`;
    const path = join(bench.folder, "data.graphml");
    await writeFile(path, text);
    const made = await bench.convert(path, "graphml", "gv");
    expect([...made.notes.keys()]).toEqual(["STYLING_DROPPED", "ENTRIES_LEFT_OUT"]);
    const { stdout } = await run("dot", ["-Tjson0", made.path]);
    const { objects, edges } = JSON.parse(stdout);
    expect(objects.map(({ name, label }: { name: string; label?: string }) => [name, label])).toEqual([
      ["cluster_a", undefined],
      ["a", 'a "b" \\\\ ü'],
      ["b", "\\N"],
      ["c", "Quokka"],
    ]);
    expect(edges).toMatchObject([{ weight: "1.5", dir: "none" }, { weight: "2" }]);
  });

  it("does not show local files in a node", async () => {
    const { path } = await convert('graph g { a [shape=none, label="", image="/usr/share/pixmaps/debian-logo.png"] }', "svg");
    expect(await readFile(path, "utf8")).not.toContain("<image");
  });
});
