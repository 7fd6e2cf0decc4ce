/** What assimp does not read or write of models, or what the target does not hold of it. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { firstNames, words } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";

/** Targets without vertex colours. */
export const colourless: ReadonlySet<string> = new Set(["stl", "step", "3ds"]);

/** Parts of scenes that the writers leave out, as assimp's summary calls them. */
const unwritten: Readonly<Record<string, readonly string[]>> = {
  ...{ glb: ["Cameras", "Lights"], gltf: ["Cameras", "Lights"], fbx: ["Cameras"], dae: ["Textures"] },
  ...{ x3d: ["Cameras", "Lights", "Animations", "Textures"], x: ["Cameras", "Lights", "Animations", "Textures"] },
};

/** They become FBX through glTF, because the writer leaves out how they place or scale the whole. */
export const placed = new Set(["dae", "3ds", "x3d", "x"]);

export const unwrittenOf = (from: string, to: string): readonly string[] => unwritten[to === "fbx" && placed.has(from) ? "glb" : to] ?? [];

/** `info`: assimp's summary of the model. */
export function noteUnwritten(info: string, { hop, note }: HopTask): void {
  const had = new Set([...info.matchAll(/^(Cameras|Lights|Animations|Textures)(?: \(embed\.\))?: {1,20}[1-9]/gm)].map(([, kind]) => kind));
  const lost = unwrittenOf(hop.from, hop.to).filter((kind) => had.has(kind));
  if (lost.length > 0) note("METADATA_DROPPED", `Left out: ${lost.join(", ").toLowerCase()}.`);
  noteOtherTextures(info, note);
}

/** Targets with one shape without a name. */
const joined: ReadonlySet<string> = new Set(["stl", "ply"]);
/** Names by the library itself. */
const ownName = /^(?:defaultobject|<STL_BINARY>|meshes\[\d{1,9}\](?:-\d{1,9})?)?$/;

/** Names what becomes of several shapes, and of their names, in a format of a single one. */
export function noteJoined(info: string, { hop, note }: HopTask): void {
  if (!joined.has(hop.to)) return;
  const [, meshes = ""] = /^Meshes: .*\n((?: {4}\d.*\n)+)/m.exec(info) ?? [];
  // The library parts a shape by its materials, and into faces, lines and points.
  const faces = meshes.split("\n").filter((line) => /\| [a-z/ ]{0,40}(?:triangle|polygon)/.test(line));
  const named = faces.map((line) => /^ {4}\d{1,9} \((.{0,1000})\): \[/.exec(line)?.[1] ?? "");
  const shapes = [...new Set(named), ...named.filter((name) => name === "").slice(1)];
  const names = [...new Set(shapes)].filter((name) => !ownName.test(name)).map((name) => name.slice(0, longestName));
  const said = [
    ...(shapes.length > 1 ? [`${shapes.length} shapes were joined into one.`] : []),
    ...(names.length > 0 ? [`Names of shapes were left out: ${firstNames(names, mostNamed)}.`] : []),
  ];
  if (said.length > 0) note("METADATA_DROPPED", said.join(" "));
}

/** Embedded textures have a star and a number or, in FBX, the name of the file that they come from. */
function noteOtherTextures(info: string, note: HopTask["note"]): void {
  const [, references = ""] = /^Texture Refs:\n((?: {4}'.*'\n)+)/m.exec(info) ?? [];
  const embedded = Number(/^Textures \(embed\.\): {1,20}(\d{1,9})/m.exec(info)?.[1] ?? 0);
  const paths = new Set(references.split("\n").flatMap((line) => line.slice(5, -1) || []));
  const named = [...paths].filter((path) => !/^\*\d+$/.test(path));
  const others = paths.size - embedded;
  if (others <= 0) return;
  const said =
    named.length > others ? "Of these textures, those in other files were not included" : "Textures in other files were not included";
  noteFiles(note, said, new Set(named.map((path) => path.replace(/^.*[\\/]/, ""))));
}

const positions = words("x y z nx ny nz");
const colours = words("red green blue alpha diffuse_red diffuse_green diffuse_blue");
const textures = words("u v s t texture_u texture_v");
/** Their materials are neither metallic nor rough. */
const phong: ReadonlySet<string> = new Set(["dae", "x3d", "x"]);
const corners = new Set(words("vertex_index vertex_indices texcoord"));
const mostNamed = 10;
const longestName = 40;

export async function noteUnread(session: ToolSession, task: HopTask, given: string): Promise<void> {
  if (task.hop.from === "ply") await notePly(session, task, given);
  if (task.hop.from === "obj") await noteObj(session, task, given);
  if ((task.hop.from === "glb" || task.hop.from === "gltf") && phong.has(task.hop.to)) {
    const between = '"(metallic|roughness)Factor"[[:space:]]*:[[:space:]]*0?[.][0-9]*[1-9]';
    const found = await linesOf(session, `grep -aqm1 -E '${between}' ${given} && echo yes`);
    if (found.includes("yes")) task.note("METADATA_DROPPED", "Metalness and roughness of materials were left out.");
  }
}

async function linesOf(session: ToolSession, command: string): Promise<readonly string[]> {
  const end = await session.run({ program: "/bin/sh", args: ["-c", command] });
  return end.stdout.split("\n").map((line) => line.trim());
}

async function notePly(session: ToolSession, { hop, note }: HopTask, given: string): Promise<void> {
  const header = `head -c 65536 ${given} | tr '\\r' '\\n' | sed -n '/^end_header/q;/^format ascii/p;/^element/p;/^property/p;/^comment TextureFile/p'`;
  const lost = new Map<string, string[]>();
  const read = new Set([...positions, ...(colourless.has(hop.to) ? [] : colours), ...(["stl", "step"].includes(hop.to) ? [] : textures)]);
  const [counts, textureFiles] = [new Map<string, number>(), [] as string[]];
  let [element, isText] = ["", false];
  for (const line of await linesOf(session, header)) {
    const parts = line.split(/\s+/);
    const [kind, second = ""] = parts;
    if (kind === "element") {
      element = second;
      counts.set(element, Number(parts[2]));
    }
    isText ||= kind === "format";
    if (kind === "comment") textureFiles.push(parts.slice(2).join(" "));
    const name = parts.at(-1) ?? "";
    const isRead = element === "vertex" ? read.has(name) : element === "face" && corners.has(name);
    if (kind === "property" && !isRead && counts.get(element) !== 0)
      lost.set(element, [...(lost.get(element) ?? []), name.slice(0, longestName)]);
  }
  const records = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // Of missing faces, the library makes some, or crashes.
  const [lines = "0"] = isText
    ? await linesOf(session, `tr '\\r' '\\n' < ${given} | sed '1,/^end_header/d' | grep -ac '[^[:space:]]'`)
    : [];
  if (isText && Number(lines) < records)
    throw new FilemillError("INVALID_INPUT", `The model is cut off: it has ${lines} of ${records} lines.`);
  if ((counts.get("face") ?? counts.get("tristrips") ?? 0) === 0) throw cloud();
  const said = [...lost].map(([of, names]) => `${firstNames(names, mostNamed)} of each ${of.slice(0, longestName)}`);
  if (said.length > 0) note("METADATA_DROPPED", `Left out: ${said.slice(0, mostNamed).join("; ")}.`);
  noteFiles(note, unreadFiles, new Set(textureFiles));
}

const cloud = () => new FilemillError("CONVERSION_FAILED", "The model is a cloud of points; this conversion reads only models with faces.");

async function noteObj(session: ToolSession, { hop, note }: HopTask, given: string): Promise<void> {
  const looks = `grep -aqE '^[[:space:]]*(f|l|p|curv2?|surf)[[:space:]]' ${given} || grep -am1 '^v[[:space:]]' ${given} | cut -c1`;
  if ((await linesOf(session, looks)).includes("v")) throw cloud();
  const files = await linesOf(session, `grep -a -m5 -E '^[[:space:]]*mtllib[[:space:]]' ${given} | cut -c1-200`);
  noteFiles(note, unreadFiles, new Set(files.map((line) => line.replace(/^mtllib\s+/, ""))));
  if (hop.to === "stl" || hop.to === "step") {
    const kinds = await linesOf(session, `for kind in vt vn; do grep -am1 "^$kind[[:space:]]" ${given} | cut -c1-2; done`);
    const lost = [...(kinds.includes("vt") ? ["texture coordinates"] : []), ...(kinds.includes("vn") ? ["normals of vertices"] : [])];
    if (lost.length > 0) note("METADATA_DROPPED", `Left out: ${lost.join(", ")}.`);
  }
  if (!colourless.has(hop.to)) return;
  const [coloured = ""] = await linesOf(session, `grep -a -m1 -E '^v([[:space:]]+[-+.0-9eE]+){6}' ${given} | cut -c1-2`);
  if (coloured !== "") note("METADATA_DROPPED", "Colours of vertices were left out.");
}

const unreadFiles = "Materials and textures in other files were not read";

function noteFiles(note: HopTask["note"], said: string, files: ReadonlySet<string>): void {
  const named = [...files].filter((file) => file !== "").map((file) => file.slice(0, longestName));
  if (named.length > 0) note("EXTERNAL_CONTENT_BLOCKED", `${said}: ${named.slice(0, mostNamed).join(", ")}.`);
}
