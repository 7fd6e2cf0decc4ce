/** A sphere of radius 1 as a model in each format, with the attributes that the format supports besides positions. */

const rings = 24;
const around = 48;

export const places: readonly (readonly [number, number, number])[] = Array.from({ length: (rings + 1) * around }, (_, index) => {
  const [up, turn] = [(Math.floor(index / around) / rings) * Math.PI, ((index % around) / around) * 2 * Math.PI];
  return [Math.sin(up) * Math.cos(turn), Math.sin(up) * Math.sin(turn), Math.cos(up)];
});

/** Two per field, and one at the poles. */
export const triangles: readonly (readonly [number, number, number])[] = Array.from({ length: rings * around }, (_, index) => {
  const next = index % around === around - 1 ? index + 1 - around : index + 1;
  const [a, b, c, d] = [index, next, index + around, next + around];
  return [
    [a, c, b],
    [b, c, d],
  ].slice(index < around ? 1 : 0, index < (rings - 1) * around ? 2 : 1) as [number, number, number][];
}).flat();

export function stlText(name = "Quokka"): string {
  const facet = (corners: readonly number[]) =>
    `facet normal 0 0 0\nouter loop\n${corners.map((corner) => `vertex ${places[corner]?.join(" ")}`).join("\n")}\nendloop\nendfacet`;
  return `solid ${name}\n${triangles.map(facet).join("\n")}\nendsolid ${name}\n`;
}

/** `colourOf`: the two bytes after each facet. */
export function stlBinary(colourOf: (facet: number) => number = () => 0): Buffer {
  const bytes = Buffer.alloc(84 + triangles.length * 50);
  bytes.write("made by hand", "latin1");
  bytes.writeUInt32LE(triangles.length, 80);
  triangles.forEach((corners, facet) => {
    const at = 84 + facet * 50;
    corners
      .flatMap((corner) => places[corner] ?? [])
      .forEach((value, index) => {
        bytes.writeFloatLE(value, at + 12 + index * 4);
      });
    bytes.writeUInt16LE(colourOf(facet), at + 48);
  });
  return bytes;
}

/** Two groups with a material each. */
export function obj(): string {
  const half = triangles.length / 2;
  const face = (corners: readonly number[]) => `f ${corners.map((corner) => `${corner + 1}//${corner + 1}`).join(" ")}`;
  return [
    "# by hand\nmtllib a.mtl\no Quokka",
    ...places.map((place) => `v ${place.join(" ")} 1 0.5 0`),
    ...places.map((place) => `vn ${place.join(" ")}`),
    "g north\nusemtl ice",
    ...triangles.slice(0, half).map(face),
    "g south\nusemtl sea",
    ...triangles.slice(half).map(face),
    "",
  ].join("\n");
}

/** With a colour for each vertex and, if `colourOf` is given, for each face. */
export function ply(form: "ascii" | "binary_little_endian" | "binary_big_endian", colourOf?: (face: number) => number): Buffer {
  const isLittle = form === "binary_little_endian";
  const head = `ply\nformat ${form} 1.0\ncomment by hand\nelement vertex ${places.length}\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nelement face ${triangles.length}\nproperty list uchar int vertex_indices\n${colourOf === undefined ? "" : "property uchar tone\n"}end_header\n`;
  const red = (corner: number) => corner % 200;
  if (form === "ascii") {
    const corners = places.map((place, corner) => `${place.map(Math.fround).join(" ")} ${red(corner)}\n`);
    const faces = triangles.map((face, index) => `3 ${face.join(" ")}${colourOf === undefined ? "" : ` ${colourOf(index)}`}\n`);
    return Buffer.from(head + corners.join("") + faces.join(""));
  }
  const corners = places.map((place, corner) => {
    const bytes = Buffer.alloc(13, red(corner));
    place.forEach((value, axis) => void (isLittle ? bytes.writeFloatLE(value, axis * 4) : bytes.writeFloatBE(value, axis * 4)));
    return bytes;
  });
  const faces = triangles.map((face, index) => {
    const bytes = Buffer.alloc(colourOf === undefined ? 13 : 14, colourOf?.(index) ?? 0);
    bytes[0] = 3;
    face.forEach((corner, at) => void (isLittle ? bytes.writeInt32LE(corner, 1 + at * 4) : bytes.writeInt32BE(corner, 1 + at * 4)));
    return bytes;
  });
  return Buffer.concat([Buffer.from(head), ...corners, ...faces]);
}

/** Two nodes show one mesh with vertex normals; a camera, a material, and the content of `more`. */
export function glb(more: Readonly<Record<string, unknown>> = {}): Buffer {
  const numbers = Buffer.from(new Float32Array(places.flat()).buffer);
  const corners = Buffer.from(new Uint32Array(triangles.flat()).buffer);
  const scene = {
    asset: { version: "2.0", copyright: "Quokka" },
    scene: 0,
    scenes: [{ nodes: [0, 1, 2] }],
    nodes: [{ mesh: 0, name: "here" }, { mesh: 0, translation: [4, 0, 0] }, { camera: 0 }],
    cameras: [{ type: "perspective", perspective: { yfov: 1, znear: 0.1, zfar: 100 } }],
    materials: [{ name: "ice", extras: { melts: true } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1 }, indices: 2, material: 0 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: places.length, type: "VEC3", min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 0, componentType: 5126, count: places.length, type: "VEC3" },
      { bufferView: 1, componentType: 5125, count: triangles.length * 3, type: "SCALAR" },
    ],
    bufferViews: [
      { buffer: 0, byteLength: numbers.length },
      { buffer: 0, byteOffset: numbers.length, byteLength: corners.length },
    ],
    buffers: [{ byteLength: numbers.length + corners.length }],
    ...more,
  };
  const text = JSON.stringify(scene);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const chunk = (kind: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(content.length);
    head.write(kind, 4, "latin1");
    return Buffer.concat([head, content]);
  };
  const body = Buffer.concat([chunk("JSON", json), chunk("BIN\0", Buffer.concat([numbers, corners]))]);
  const head = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32LE(12 + body.length, 8);
  return Buffer.concat([head, body]);
}
