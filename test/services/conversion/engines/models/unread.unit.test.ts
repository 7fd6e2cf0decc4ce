import { expect, it } from "vitest";
import { noteJoined, noteUnwritten } from "#services/conversion/engines/models/unread.ts";

/** As assimp prints it. */
const infoOf = (embedded: number, ...references: readonly string[]) =>
  `Textures (embed.):  ${embedded}\nMaterials:          1\nCameras:            0\nLights:             0\n\n` +
  `Texture Refs:\n${references.map((each) => `    '${each}'\n`).join("")}\nNode hierarchy:\n`;

const others = "Textures in other files were not included";
it.each([
  ["fbx", "glb", infoOf(1, "paper.png", "paper.png"), {}],
  ["fbx", "dae", infoOf(1, "..\\a\\paper.png"), { METADATA_DROPPED: "Left out: textures." }],
  ["glb", "x3d", infoOf(1, "*0", "*0"), { METADATA_DROPPED: "Left out: textures." }],
  ["glb", "dae", infoOf(0, "wood.png", "a/wood.png"), { EXTERNAL_CONTENT_BLOCKED: `${others}: wood.png.` }],
  ["gltf", "glb", infoOf(1, "*0", "wood.png"), { EXTERNAL_CONTENT_BLOCKED: `${others}: wood.png.` }],
  [
    "fbx",
    "glb",
    infoOf(1, "a.png", "b.png"),
    { EXTERNAL_CONTENT_BLOCKED: `Of these textures, those in other files were not included: a.png, b.png.` },
  ],
  ["glb", "fbx", "Textures (embed.):  0\n", {}],
])("textures of %s that %s lacks are named", (from, to, info, wanted) => {
  const notes = new Map<string, string | undefined>();
  const note = (code: string, message?: string) => notes.set(code, message);
  noteUnwritten(info, { hop: { from, to }, note } as unknown as Parameters<typeof noteUnwritten>[1]);
  expect(Object.fromEntries(notes)).toEqual(wanted);
});

it.each([
  ["meshes[0]", undefined],
  ["Rad", "Names of shapes were left out: Rad."],
])("names of shapes are not those that the library gives: %s", (name, wanted) => {
  const notes = new Map<string, string | undefined>();
  const note = (code: string, message?: string) => notes.set(code, message);
  const info = `Meshes:  (name) [vertices / bones / faces | primitive_types]\n    0 (${name}): [3 / 0 / 1 | triangle]\n\n`;
  noteJoined(info, { hop: { from: "glb", to: "stl" }, note } as unknown as Parameters<typeof noteJoined>[1]);
  expect(notes.get("METADATA_DROPPED")).toBe(wanted);
});
