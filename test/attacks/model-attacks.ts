/**
 * Classes MC1 to MC3: models rewritten in their format that refer to other files or need
 * excessive memory or time when faces are merged. Classes MC4 and MC5: the same for 3MF and STEP.
 */
import { glb } from "#test/services/conversion/engines/inside/model/spheres.ts";
import { threeMf } from "#test/services/conversion/engines/inside/model/threemf-files.ts";
import type { Attack } from "./attack.ts";

const row = (id: string, what: string, fileName: string, outcome: Attack["outcome"], content: Attack["content"]): Attack => ({
  ...{ id, what, engine: "meshoptimizer", fileName, outcome, content },
  ...{ to: [fileName.slice(2)], query: `from=${fileName.slice(2)}&simplify=0.5&scale=2` },
});

const shapesRow = (id: string, what: string, fileName: string, outcome: Attack["outcome"], content: Attack["content"]): Attack => ({
  ...{ id, what, engine: "shapes", fileName, outcome, content, to: ["glb"], query: `from=${fileName.slice(2)}` },
});
/** Ten of the next level in each. */
const nested = (depth: number): string =>
  Array.from({ length: depth }, (_, level) => {
    const inside = `<component objectid="${level + 2}"/>`.repeat(10);
    return `<object id="${level + 1}"><components>${inside}</components></object>`;
  }).join("");

const triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n";
const statedPly = (): Buffer => {
  const head = "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\n";
  return Buffer.concat([Buffer.from(`${head}element face 1\nproperty list uchar int vertex_indices\nend_header\n`), Buffer.alloc(64)]);
};
/** Two triangles per group, so that there is something to merge. */
const manyGroups = (): string =>
  Array.from({ length: 100_000 }, (_, group) => `g ${group}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf -4 -3 -2\nf -2 -3 -1\n`).join("");
/** Gears: every second vertex points inwards. */
const gear = (teeth: number): string => {
  const corner = (index: number) => {
    const turn = (index * Math.PI) / teeth;
    return `v ${Math.cos(turn) * (1 + (index % 2))} ${Math.sin(turn) * (1 + (index % 2))} 0\n`;
  };
  return `${Array.from({ length: teeth * 2 }, (_, index) => corner(index)).join("")}f ${Array.from({ length: teeth * 2 }, (_, index) => index + 1).join(" ")}\n`;
};

export const modelAttacks: readonly Attack[] = [
  row(
    "MC1-materials",
    "a model whose materials are a host's file, to be simplified",
    "a.obj",
    "converts",
    ({ secretFile }) => `mtllib ${secretFile}\n${triangle}`,
  ),
  row("MC1-buffer", "a scene whose numbers are a host's file, to be simplified", "a.glb", "INVALID_INPUT", ({ secretFile }) =>
    glb({ buffers: [{ byteLength: 36, uri: secretFile }] }),
  ),
  row("MC1-image", "a scene whose picture is at an address, to be simplified", "a.glb", "INVALID_INPUT", ({ url }) =>
    glb({ images: [{ uri: `${url}/a.png` }] }),
  ),
  row("MC2-points", "a PLY that claims four billion points, to be simplified", "a.ply", "INVALID_INPUT", statedPly),
  row("MC2-numbers", "a scene that claims a trillion numbers", "a.glb", "INPUT_TOO_COMPLEX", () =>
    glb({ accessors: Array.from({ length: 3 }, () => ({ componentType: 5126, count: 2 ** 40, type: "VEC3" })) }),
  ),
  row("MC2-ring", "a scene whose parts contain each other, to be simplified", "a.glb", "is bounded", () =>
    glb({ nodes: [{ mesh: 0, children: [1] }, { children: [0] }, { children: [2] }] }),
  ),
  row("MC3-polygon", "a face of two hundred thousand corners", "a.obj", "INPUT_TOO_COMPLEX", () => gear(100_000)),
  row("MC3-gears", "three hundred faces of two thousand corners", "a.obj", "is bounded", () => {
    const [corners = "", face = ""] = gear(1000).split(/(?=f )/);
    return corners + face.repeat(300);
  }),
  row("MC3-groups", "a hundred thousand groups of two triangles", "a.obj", "is bounded", manyGroups),
  shapesRow("MC4-entity", "a 3MF whose name is an entity of a host's file", "a.3mf", "INVALID_INPUT", ({ secretFile }) =>
    threeMf(`<object id="1" name="&x;"/>`, `<!DOCTYPE model [<!ENTITY x SYSTEM "file://${secretFile}">]>`),
  ),
  shapesRow("MC4-ring", "a 3MF object that contains itself", "a.3mf", "INVALID_INPUT", () =>
    threeMf('<object id="1"><components><component objectid="1"/></components></object>'),
  ),
  shapesRow("MC4-nested", "3MF objects ten in each other, nine deep", "a.3mf", "INPUT_TOO_COMPLEX", () =>
    threeMf(`${nested(9)}<object id="10"><mesh/></object>`),
  ),
  shapesRow(
    "MC5-file",
    "a STEP assembly whose part is a host's file",
    "a.step",
    "INVALID_INPUT",
    ({ secretFile }) =>
      `ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n#1=DOCUMENT_FILE('${secretFile}','','',#2,'',$);\nENDSEC;\nEND-ISO-10303-21;\n`,
  ),
];
