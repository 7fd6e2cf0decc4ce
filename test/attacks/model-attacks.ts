/** Classes MC1 to MC3: models that stay what they are, with what names other files or takes memory or time when faces are merged. */
import { glb } from "#test/services/conversion/engines/inside/model/spheres.ts";
import type { Attack } from "./attack.ts";

const row = (id: string, what: string, fileName: string, outcome: Attack["outcome"], content: Attack["content"]): Attack => ({
  ...{ id, what, engine: "meshoptimizer", fileName, outcome, content },
  ...{ to: [fileName.slice(2)], query: `from=${fileName.slice(2)}&simplify=0.5&scale=2` },
});

const triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n";
const statedPly = (): Buffer => {
  const head = "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\n";
  return Buffer.concat([Buffer.from(`${head}element face 1\nproperty list uchar int vertex_indices\nend_header\n`), Buffer.alloc(64)]);
};
/** Two triangles of each group, so that there is something to merge. */
const manyGroups = (): string =>
  Array.from({ length: 100_000 }, (_, group) => `g ${group}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf -4 -3 -2\nf -2 -3 -1\n`).join("");
/** Gears: every second corner points inwards. */
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
];
