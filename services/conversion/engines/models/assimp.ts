/** 3D models by the Open Asset Import Library, each in a fresh process. */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { canHave } from "#formats/index.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { OffColours } from "../inside/model/off-colours.ts";
import { askForFile, askMade } from "../shared/ask-inspector.ts";
import { saysBadInput, throwIfFailed } from "../shared/bad-input.ts";
import { crossHops, uniqueHops, words } from "../shared/hop-table.ts";
import { runOwn } from "../shared/node-worker.ts";
import { oneOf, yesOrNo } from "../shared/options.ts";
import { openToolSession, probeInOutput, type ToolSession } from "../shared/tool-run.ts";
import { colouredStl, joining, noteColours, opaqueOnly, whiten } from "./colours.ts";
import { colourless, noteJoined, noteUnread, noteUnwritten, placed, unwrittenOf } from "./unread.ts";

const program = "/usr/bin/assimp";
const limits = { addressSpace: false, fileBytes: 2 ** 30 };
const maxEmbeddedBytes = 128 * 2 ** 20;

/** Common formats, each of which converts to every other. Not 3MF: the library crashes if two items show the same object. */
const everyday = words("obj stl ply glb gltf dae fbx 3ds x3d x off");
/** Formats of single programs and games; the reader goes by the file extension. */
const others: Readonly<Record<string, string>> = {
  ...{ amf3d: "amf", ac: "ac", ase: "ase", b3d: "b3d", blend: "blend", cob: "cob", hmp: "hmp", lwo: "lwo", lxo: "lxo" },
  ...{ md5mesh: "md5mesh", ms3d: "ms3d", nff: "nff", ogex: "ogex", sib: "sib", smd: "smd", xgl: "xgl" },
};

/** The library's ids of the formats that it writes well, text and compact where there are both. */
const writers: Readonly<Record<string, { readonly compact: string; readonly text?: string }>> = {
  glb: { compact: "glb2" },
  gltf: { compact: "gltf2" },
  obj: { compact: "objnomtl" },
  stl: { compact: "stlb", text: "stl" },
  ply: { compact: "plyb", text: "ply" },
  dae: { compact: "collada" },
  fbx: { compact: "fbx", text: "fbxa" },
  "3ds": { compact: "3ds" },
  x3d: { compact: "x3d" },
  x: { compact: "x" },
  step: { compact: "stp" },
};

const form = oneOf("form", ["compact", "text"], "Write the binary or the text variant of the format", "compact");
const simplify = yesOrNo("simplify", "Merge equal vertices and meshes with the same material", { default: false });

/** Only shapes, without the surrounding scene and, except in 3DS, without materials. */
const bare = new Set(["obj", "stl", "ply", "step", "3ds"]);

/** Their coordinates may have more digits than the 32 bits in which the library computes. */
const fine = new Set(["obj", "ply", "off", "dae", "x3d", "x", "fbx"]);

const gltf = new Set(["glb", "gltf"]);
const inMetres = new Set([...gltf, "dae", "x3d"]);
/** Their lengths are numbers without a unit. */
const unitless = new Set(["stl", "obj", "ply", "off", "ac", "ase", "b3d", "hmp", "md5mesh", "ms3d", "nff", "sib", "smd"]);
const sceneParts = (to: string) => `${colourless.has(to) ? "Colours, materials" : "Materials"}, cameras and animations`;

function leftOfScene(from: string, to: string): string {
  const lists = gltf.has(from) ? ["Lights", "lists among the custom properties of nodes"] : [];
  const unit = from === "fbx" && inMetres.has(to) ? ["the unit of length"] : [];
  const parts = new Set([...unwrittenOf(from, to), ...lists, ...unit]);
  return parts.size === 0 ? "" : `Left out: ${[...parts].join(", ").toLowerCase()}.`;
}

/** What of a model is left out, in sentences. */
function leftOf(from: string, to: string): readonly string[] {
  const isBare = bare.has(to);
  const scene = isBare ? `${sceneParts(to)} are left out.` : leftOfScene(from, to);
  return [
    canHave(from, "scene") ? scene : "",
    from === "ply" ? "Properties that the format does not hold are left out." : "",
    from === "stl" && isBare ? "Colours of faces or of the whole model are left out." : "",
    from === "obj" && colourless.has(to) ? "Colours of vertices are left out." : "",
    from === "off" ? `Colours of ${colourless.has(to) ? "vertices and faces" : "faces"} are left out.` : "",
    joining.has(to) ? "Corners of faces of different colours may get one colour." : "",
    opaqueOnly.has(to) && !joining.has(to) ? "The opacity of vertices is left out." : "",
    isBare ? "Names, groups, texture coordinates and normals are left out where the format has none." : "",
  ].filter((sentence) => sentence !== "");
}

function hopOf(from: string, to: string): Omit<Hop, "from" | "to"> {
  const options = [simplify, ...(writers[to]?.text === undefined ? [] : [form])];
  const left = leftOf(from, to);
  const expects = [
    ...(left.length === 0 ? [] : [expecting("METADATA_DROPPED", left.join(" "))]),
    ...(bare.has(to) ? [] : [expecting("EXTERNAL_CONTENT_BLOCKED", { message: "Textures in other files are not included.", of: "scene" })]),
    ...(from === "obj" || from === "ply"
      ? [expecting("EXTERNAL_CONTENT_BLOCKED", "Materials and textures in other files are not read.")]
      : []),
    ...(fine.has(from) ? [expecting("NUMBERS_ROUNDED", "Coordinates far from the origin are rounded to 32-bit numbers.")] : []),
    ...(to === "stl" ? [expecting("ENTRIES_LEFT_OUT", "Lines and points are left out; faces are kept.")] : []),
  ];
  return { expects, fidelity: bare.has(to) ? "reduced" : "high", cost: 100, maxInputMb: 100, options };
}

const hops: readonly Hop[] = uniqueHops([
  ...crossHops(everyday, Object.keys(writers), hopOf),
  // All other pairs go through these.
  ...crossHops(Object.keys(others), ["glb", "obj"], hopOf),
]);

const unreadable = "The model is damaged, has no meshes, refers to other files, or is of an unknown kind.";
/** The library's message for a model whose data is in another file. */
const divided = /could not open referenced file "([^"]{1,200})"/;
/** The library's message for a model with an unknown compression: its numbers seem to be missing. */
const packed = /buffer with non-zero length missing the "uri" attribute/;
const badInput = [/Failed to load|Unable to load input file/i];

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  const writer = writers[to];
  if (writer === undefined) throw new FilemillError("INTERNAL", "There is no such model.");
  const given = `/input/in.${others[from] ?? from}`;
  await using session = await openToolSession(sandbox, task, given);
  let read = from === "off" ? await plainOff(session, task, given) : from === "stl" ? await colouredStl(session, task, given) : given;
  await noteUnread(session, task, given);
  const { hasLoose, grain, info } = await assertShapes(session, read).catch(async (error: unknown) => {
    if (from !== "glb") throw error;
    read = await padded(session, given);
    return await assertShapes(session, read);
  });
  if (!bare.has(to)) noteUnwritten(info, task);
  noteJoined(info, task);
  if (from === "fbx" && inMetres.has(to)) await noteUnit(session, task, given);
  if (gltf.has(from)) read = await coloured(session, task, read);
  const inside = to === "fbx" ? await rooted(session, task, read) : read;
  if (fine.has(from) && grain > 0)
    task.note("NUMBERS_ROUNDED", `Coordinates were rounded to steps of up to ${grain}, because the model is far from the origin.`);
  const name = to === "stl" && hasLoose ? "stl" : task.options["form"] === "text" ? (writer.text ?? writer.compact) : writer.compact;
  const simplified = task.options["simplify"] === true ? ["-jiv", "-om"] : [];
  // The STEP writer knows one position per shape and would drop the others. The 3DS writer states wrong ones.
  const flat = to === "step" || to === "3ds" ? ["-ptv"] : [];
  const write = (as: string, source = inside) =>
    session.run({ program, args: ["export", source, `/job/out.${to}`, `-f${as}`, "-tri", ...flat, ...simplified], limits });
  let end = await write(name).catch(async (error: unknown) => {
    if (!(gltf.has(from) && error instanceof EngineFault && error.kind === "crashed")) throw error;
    return await write(name, await plainGltf(session, task, inside));
  });
  // The library's compact PLY declares colours as bytes but writes them four times as long, which nothing can read.
  if (
    end.exitCode === 0 &&
    name === "plyb" &&
    (await askMade(inspector, "plyColours", [session.pathOf("out.ply")], { signal: task.signal })).hasColours
  )
    end = await write("ply");
  if (to === "ply" && end.exitCode === 0) await whiten(session);
  if (saysBadInput(end, badInput)) throw new FilemillError("INVALID_INPUT", unreadable);
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The model could not be written in this format.");
  if (bare.has(to) && canHave(from, "scene")) task.note("METADATA_DROPPED", `${sceneParts(to)} were left out.`);
  if (to === "stl" && hasLoose) {
    await leaveOutLoose(session);
    task.note("ENTRIES_LEFT_OUT", "Lines and points were left out, because the format holds only faces.");
  }
  const made = `/job/out.${to}`;
  if (to === "fbx" || (to === "obj" && from !== "stl" && from !== "ply" && from !== "off"))
    await runOwn(session, "model/main.ts", [made, made]);
  await noteColours(session, task, { program, given: inside, limits });
  if (to === "dae" && /^Animations: {1,20}[1-9]/m.test(info)) await leaveOutDangling(session, task, made);
  if (to === "glb" && unitless.has(from)) await runOwn(session, "model/main.ts", [made, made, "unitless"]);
  if (to === "gltf") await embed(inspector, session, task);
  else await session.adopt(`out.${to}`);
}

/** A glTF model without the properties of nodes at which the library's writers abort. */
async function plainGltf(session: ToolSession, { hop, note }: HopTask, given: string): Promise<string> {
  const path = `/job/in.${hop.from}`;
  await runOwn(session, "model/main.ts", [given, path]);
  note("METADATA_DROPPED", "Lights, and lists among the custom properties of nodes, were left out.");
  return path;
}

/** A GLB whose JSON is padded; without that, the library reads none. */
async function padded(session: ToolSession, given: string): Promise<string> {
  const path = "/job/in.glb";
  return await runOwn(session, "model/main.ts", [given, path, "pad"]).then(
    () => path,
    () => given,
  );
}

/** As a glTF model whose outermost node has no placement. */
async function rooted(session: ToolSession, { hop }: HopTask, given: string): Promise<string> {
  if (!gltf.has(hop.from) && !placed.has(hop.from)) return given;
  const path = `/job/in.${gltf.has(hop.from) ? hop.from : "glb"}`;
  if (placed.has(hop.from))
    throwIfFailed(await session.run({ program, args: ["export", given, path, "-fglb2"], limits }), badInput, unreadable);
  await runOwn(session, "model/main.ts", [placed.has(hop.from) ? path : given, path, "root"]);
  return path;
}

/** As a glTF model whose opacity the library reads and writes right. */
async function coloured(session: ToolSession, { hop }: HopTask, given: string): Promise<string> {
  const seen = await session.run({ program: "/bin/grep", args: ["-aqE", '"(baseColorFactor|COLOR_[0-9])"', given], limits });
  if (seen.exitCode !== 0) return given;
  const path = `/job/coloured.${hop.from}`;
  return await runOwn(session, "model/main.ts", [
    given,
    path,
    gltf.has(hop.to) ? "opacity" : ["obj", "ply"].includes(hop.to) ? "white" : "colours",
  ]).then(
    () => path,
    () => given,
  );
}

async function leaveOutDangling(session: ToolSession, { note }: HopTask, made: string): Promise<void> {
  const { left }: { left: number } = JSON.parse(await runOwn(session, "model/main.ts", [made, made]));
  if (left > 0) note("METADATA_DROPPED", `Animations of ${left === 1 ? "one node" : `${left} nodes`} were left out.`);
}

async function noteUnit(session: ToolSession, { note }: HopTask, given: string): Promise<void> {
  const { metres }: { metres: number } = JSON.parse(await runOwn(session, "model/main.ts", [given, "", "unit"]));
  const unit = Number((metres * 100).toPrecision(6));
  if (unit !== 100) note("METADATA_DROPPED", `The unit of ${unit} cm was left out; lengths of the result count as metres.`);
}

/** An OFF model as the library reads it (see inside/model/off-colours.ts). */
async function plainOff(session: ToolSession, task: HopTask, given: string): Promise<string> {
  const path = "/job/in.off";
  const { hasColours, hasOthers }: OffColours = JSON.parse(await runOwn(session, "model/main.ts", [given, path]));
  if (hasColours && colourless.has(task.hop.to)) task.note("METADATA_DROPPED", "Colours were left out.");
  else if (hasOthers)
    task.note("METADATA_DROPPED", "Colours of faces, and of vertices in a file that does not start with COFF, were left out.");
  return path;
}

/** Removes facets of one or two corners from a text STL; in a compact one, the library's count of facets would be wrong. */
async function leaveOutLoose(session: ToolSession): Promise<void> {
  const script = "/^ *facet/{:a;N;/endfacet/!ba;/(vertex.*){3}/!d}";
  const end = await session.run({ program: "/bin/sed", args: ["-E", "-i", script, "/job/out.stl"], limits });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The model could not be written in this format.");
}

type Seen = {
  /** It has lines or points besides faces. */
  readonly hasLoose: boolean;
  readonly info: string;
  /** The step between 32-bit coordinates, if that can be seen in the model's size; otherwise 0. */
  readonly grain: number;
};

/** Readers of formats without a signature accept any file, as a scene without shapes. */
async function assertShapes(session: ToolSession, inside: string): Promise<Seen> {
  const end = await session.run({ program, args: ["info", inside], limits });
  if (end.exitCode !== 0 && packed.test(`${end.stderr}${end.stdout}`))
    throw new FilemillError(
      "CONVERSION_FAILED",
      "The model lacks its data or is compressed with meshopt, which this conversion cannot read. 3MF can be made from it.",
    );
  // Without folders: they may be those of a host.
  const other = divided.exec(`${end.stderr}${end.stdout}`)?.[1]?.replace(/^.*[\\/]/, "");
  if (end.exitCode !== 0 && other !== undefined)
    throw new FilemillError("INVALID_INPUT", `The data of the model is in another file, ${other}; send it as one file, such as GLB.`);
  throwIfFailed(end, badInput, unreadable);
  if (Number(/Vertices:\s+(\d+)/.exec(end.stdout)?.[1] ?? 0) === 0) throw new FilemillError("INVALID_INPUT", unreadable);
  return { hasLoose: /\| [a-z/ ]{0,40}\b(?:point|line)\b/.test(end.stdout), grain: grainOf(end.stdout), info: end.stdout };
}

function grainOf(info: string): number {
  const numbersOf = (found: RegExpExecArray | null) => (found?.[1] ?? "").split(" ").map(Number);
  const least = numbersOf(/Minimum point\s{1,20}\(([^)]{1,200})\)/.exec(info));
  const most = numbersOf(/Maximum point\s{1,20}\(([^)]{1,200})\)/.exec(info));
  const far = Math.max(...[...least, ...most].map(Math.abs));
  const size = Math.max(...most.map((end, axis) => end - (least[axis] ?? 0)));
  const grain = 2 ** (Math.floor(Math.log2(far)) - 23);
  return grain > size * 1e-5 && size > 0 ? grain : 0;
}

/** Embeds the numbers, which lie in a separate file, into the single output file. */
async function embed(inspector: Inspector, session: ToolSession, { outputPath, signal }: HopTask): Promise<void> {
  const made = [session.pathOf("out.gltf"), session.pathOf("out.bin")];
  for (const path of made) await assertEmbeddable(path);
  await askForFile(inspector, "embeddedModel", made, outputPath, { signal, maxBytes: 3 * maxEmbeddedBytes });
}

async function assertEmbeddable(path: string): Promise<void> {
  if ((await stat(path)).size > maxEmbeddedBytes) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The model is too large for one glTF file; GLB allows more.");
  }
}

export const assimpEngine = defineEngine({
  id: "assimp",
  label: "Assimp",
  lane: "document",
  packages: ["assimp-utils"],
  hops,
  badInput,
  // The first line is a rule.
  probe: probeInOutput(program, ["version"], /Version (\d[\d.]*)/),
  run,
});
