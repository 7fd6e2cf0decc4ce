/** Colours of vertices that assimp's writers spoil or leave out. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { StlColours } from "../inside/model/stl-colours.ts";
import { runOwn } from "../shared/node-worker.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { colourless } from "./unread.ts";

/** Makes vertices without a colour white beside coloured ones in a text PLY; the library writes them black, and one number short. */
export async function whiten(session: ToolSession): Promise<void> {
  const count = "sed '/^end_header/q' /job/out.ply | grep -ac '^property [^l]'";
  const rows = `s/^(([^ ]+ ){'$((n - 4))'})0 0 0$/\\1255 255 255 255/`;
  const script = `grep -aqm1 '^format ascii' /job/out.ply && grep -aqm1 '^property uchar alpha' /job/out.ply || exit 0; n=$(${count}); sed -Ei '${rows}' /job/out.ply`;
  const end = await session.run({ program: "/bin/sh", args: ["-c", script] });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The model could not be written in this format.");
}

/** Their colours have no opacity. */
export const opaqueOnly: ReadonlySet<string> = new Set(["obj", "dae"]);
/** Their writer joins corners at one place even if their colours differ. */
export const joining: ReadonlySet<string> = new Set(["glb", "gltf"]);

type Reading = {
  readonly program: string;
  readonly given: string;
  readonly limits: { readonly addressSpace: boolean; readonly fileBytes: number };
};

/** Lists the different pairs of place and colour. Writers scale places, and change normals, so only how many there are tells something. */
const rowsScript = (rows: string): string =>
  [
    `names=$(sed '/^end_header/q' ${rows}.ply | grep -a '^property [^l]')`,
    'n=$(echo "$names" | wc -l)',
    `c=$(echo "$names" | grep -nm1 ' red$' | cut -d: -f1)`,
    '[ -n "$c" ] || exit 0',
    `sed '1,/^end_header/d' ${rows}.ply | LC_ALL=C grep -aE "^([^ ]+ ){$((n - 1))}[^ ]+ ?$" | cut -d' ' -f"1-3,$c-$((c + 3))" | ` +
      `LC_ALL=C sed 's/^/ /;s/ -0 / 0 /g;s/ -0 / 0 /g' | LC_ALL=C sort -u > ${rows}`,
    "echo yes",
  ].join("; ");

/** Compares, if the result has colours, the rows of vertices that the library writes as PLY. */
export async function noteColours(
  session: ToolSession,
  { hop: { to }, note }: HopTask,
  { program, given, limits }: Reading,
): Promise<void> {
  if (!opaqueOnly.has(to) && !joining.has(to)) return;
  const made = `/job/out.${to}`;
  const says = async (script: string) => (await session.run({ program: "/bin/sh", args: ["-c", script], limits })).stdout.trim();
  const coloured = to === "obj" ? "^v( [^ ]+){6}" : to === "dae" ? 'semantic="COLOR"' : '"COLOR_0"';
  if ((await says(`grep -aqm1 -E '${coloured}' ${made} && echo yes`)) !== "yes") return;
  // If the library fails at PLY, nothing can be compared.
  const rowsOf = async (path: string, rows: string) => {
    const end = await session.run({ program, args: ["export", path, `${rows}.ply`, "-fply", "-tri"], limits }).catch(() => undefined);
    return end?.exitCode === 0 && (await says(rowsScript(rows))) === "yes";
  };
  if (!(await rowsOf(given, "/job/given-rows"))) return;
  if (opaqueOnly.has(to)) {
    if ((await says("grep -avqm1 -E ' 255$' /job/given-rows && echo yes")) === "yes")
      note("METADATA_DROPPED", "The opacity of vertices was left out.");
  } else if (await rowsOf(made, "/job/made-rows")) {
    const countOf = async (rows: string) => Number(await says(`wc -l < ${rows}`));
    if ((await countOf("/job/made-rows")) < (await countOf("/job/given-rows")))
      note("METADATA_DROPPED", "Where faces of different colours meet, their corners got one colour.");
  }
}

/** An STL model with its colours as assimp reads them (see inside/model/stl-colours.ts). */
export async function colouredStl(session: ToolSession, { hop: { to }, note }: HopTask, given: string): Promise<string> {
  const kind = joining.has(to) ? "linear" : withMaterials.has(to) ? "raw" : "vertices";
  const path = `/job/coloured.${kind === "vertices" ? "stl" : "glb"}`;
  const { colours }: StlColours = JSON.parse(await runOwn(session, "model/main.ts", [given, path, kind]));
  if (colours !== "none" && colourless.has(to)) note("METADATA_DROPPED", "Colours of faces were left out.");
  else if (colours === "whole" && kind === "vertices") note("METADATA_DROPPED", "The colour of the whole model was left out.");
  return colours === "none" ? given : path;
}

const withMaterials: ReadonlySet<string> = new Set(["dae", "fbx", "x3d", "x"]);
