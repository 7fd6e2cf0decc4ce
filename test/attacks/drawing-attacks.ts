/** Classes GR, MO and DJ: diagrams, 3D models and scans that refer to other files or require endless work. */
import { readFileSync } from "node:fs";
import { type Aim, type Attack, attackOn } from "./attack.ts";

/** Every way in which a graph can refer to a file. */
const graphWithFiles = ({ secretPicture, secretFile, url }: Aim): string =>
  `digraph { graph [imagepath="/" fontpath="/" stylesheet="${url}/s.css"]
  a [image="${secretPicture}" shape=none label=""] b [shape=custom shapefile="${secretPicture}"] c [image="${url}/a.png"]
  e [image="file://${secretFile}"] }`;
const graphWithLabel = ({ secretPicture }: Aim): string =>
  `digraph { d [shape=none label=<<TABLE><TR><TD><IMG SRC="${secretPicture}"/></TD></TR></TABLE>>] }`;
const postscriptShape = ({ secretFile }: Aim): string => `digraph { a [shape=epsf shapefile="${secretFile}" label=""] }`;
const everyEdge = (nodes: number): string =>
  `digraph { ${Array.from({ length: nodes }, (_, from) => `n${from} -> {${Array.from({ length: nodes }, (_, to) => `n${to}`).join(" ")}}`).join("\n")} }`;

const graph = attackOn("graphviz");
const graphAttacks: readonly Attack[] = [
  graph("GR1-files", "a diagram whose pictures are the host's and the network's", "a.gv", graphWithFiles, "converts", [
    "svg",
    "png",
    "pdf",
  ]),
  graph("GR1-label", "a diagram with a host's picture in a table", "a.gv", graphWithLabel, "CONVERSION_FAILED", ["svg", "png"]),
  graph("GR1-postscript", "a diagram that takes a host's file for a shape of PostScript", "a.gv", postscriptShape, "converts", [
    "ps",
    "eps",
    "svg",
  ]),
  graph("GR2-edges", "every one of 400 nodes joined with every other", "a.gv", () => everyEdge(400), "is bounded", ["svg"]),
  graph("GR2-rims", "a node of two billion rims", "a.gv", () => "digraph { a [peripheries=2147483647 shape=circle] }", "is bounded", [
    "svg",
  ]),
  graph("GR2-sides", "a node of two billion corners", "a.gv", () => "digraph { a [shape=polygon sides=2147483647] }", "is bounded", [
    "svg",
  ]),
  graph("GR2-pixels", "a diagram of ten kilometres", "a.gv", () => 'digraph { a [width=400000 height=400000 label="x"] }', "is bounded", [
    "png",
    "pdf",
  ]),
  graph(
    "GR3-nested",
    "a hundred thousand groups inside each other",
    "a.gv",
    () => `digraph { ${"subgraph {".repeat(100_000)}a${"}".repeat(100_000)} }`,
    "is bounded",
    ["svg"],
  ),
];

const corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const triangle = "f 1 2 3\n";
const modelWithFiles = ({ secretFile, secretPicture }: Aim): string =>
  `mtllib ${secretFile}\nmtllib ../../..${secretFile}\n${corners}usemtl m\nmap_Kd ${secretPicture}\n${triangle}`;
const sceneOf = (uri: string, image: string): string =>
  JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    textures: [{ source: 0 }],
    images: [{ uri: image }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 1] }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    buffers: [{ byteLength: 36, uri }],
  });
const triangleData = `data:application/octet-stream;base64,${Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString("base64")}`;
const ringOfNodes = (): string => {
  const scene = JSON.parse(sceneOf(triangleData, "a.png"));
  return JSON.stringify({ ...scene, nodes: [{ mesh: 0, children: [1] }, { children: [0] }] });
};
const statedPly = (): Buffer => {
  const head = "ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\n";
  return Buffer.concat([Buffer.from(`${head}element face 1\nproperty list uchar int vertex_indices\nend_header\n`), Buffer.alloc(64)]);
};
const statedStl = (): Buffer => {
  const bytes = Buffer.alloc(84 + 50);
  bytes.writeUInt32LE(0xffff_fff0, 80);
  return bytes;
};

const model = attackOn("assimp");
const modelAttacks: readonly Attack[] = [
  model("MO1-materials", "a model whose materials are a host's file", "a.obj", modelWithFiles, "converts", ["glb", "dae", "stl"]),
  model("MO1-buffer", "a scene whose numbers are a host's file", "a.gltf", (aim) => sceneOf(aim.secretFile, "a.png"), "INVALID_INPUT", [
    "obj",
  ]),
  model("MO1-image", "a scene whose picture is a host's", "a.gltf", (aim) => sceneOf(triangleData, aim.secretPicture), "converts", [
    "glb",
    "dae",
  ]),
  model("MO1-web", "a scene whose parts are kept at an address", "a.gltf", (aim) => sceneOf(`${aim.url}/a`, aim.url), "INVALID_INPUT", [
    "obj",
  ]),
  model("MO2-ring", "a scene whose parts contain each other", "a.gltf", ringOfNodes, "is bounded", ["glb", "obj"]),
  model("MO2-points", "a PLY that claims four billion points", "a.ply", statedPly, "is bounded", ["obj"]),
  model("MO2-triangles", "an STL that claims four billion triangles", "a.stl", statedStl, "is bounded", ["obj"], { query: "from=stl" }),
];

/** A chunk of a DjVu file. @see DjVu3Spec.djvu, chapter 8 */
function chunk(id: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(id, "latin1"), size, content, Buffer.alloc(content.length % 2)]);
}
function scan(width: number, height: number, ...parts: readonly Buffer[]): Buffer {
  const info = Buffer.from([width >> 8, width & 255, height >> 8, height & 255, 24, 0, 44, 1, 22, 1]);
  const page = Buffer.concat([Buffer.from("DJVU", "latin1"), chunk("INFO", info), ...parts]);
  return Buffer.concat([Buffer.from("AT&T", "latin1"), chunk("FORM", page)]);
}
const included = ({ secretFile, neighbour }: Aim): Buffer =>
  scan(100, 100, chunk("INCL", Buffer.from(secretFile)), chunk("INCL", Buffer.from(neighbour)), chunk("INCL", Buffer.from("../../secret")));
const includesItself = (): Buffer => scan(100, 100, chunk("INCL", Buffer.from("document")), chunk("INCL", Buffer.from("in.djvu")));
/** A valid page that claims the maximum size. */
const vastScan = (): Buffer => {
  const bytes = readFileSync(new URL("../corpus/typical/document/typical.djvu", import.meta.url));
  for (let at = bytes.indexOf("INFO"); at > 0; at = bytes.indexOf("INFO", at + 4)) bytes.fill(0xff, at + 8, at + 12);
  return bytes;
};

const djvu = attackOn("djvulibre");
const scanAttacks: readonly Attack[] = [
  djvu("DJ1-included", "a scan that includes the host's and another account's files", "a.djvu", included, "is bounded", ["pdf", "tiff"]),
  djvu("DJ1-itself", "a scan that includes itself", "a.djvu", includesItself, "is bounded", ["pdf"]),
  djvu("DJ2-vast", "a scan of 65,535 by 65,535 pixels", "a.djvu", vastScan, "is bounded", ["pdf", "tiff"]),
];

export const drawingAttacks: readonly Attack[] = [...graphAttacks, ...modelAttacks, ...scanAttacks];
