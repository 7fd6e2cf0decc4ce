/** Sandboxed processes with libvips, for every engine that writes pictures. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EngineHost, OpenEngine } from "#services/conversion/domain/engine.ts";
import { openChildEngine } from "../shared/child-engine.ts";

/**
 * @param warm - How many are kept ready; see PoolOptions.
 * @param mayKeep - Whether the source is returned if re-encoding in its own format does not shrink it; not if another program needs it
 *   rewritten.
 */
export function openSharpChildren(host: EngineHost, warm: number, mayKeep = false): Promise<OpenEngine> {
  // libvips' own threads: all cores if one picture is converted at a time, one each if all slots are busy.
  const threads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, host.slots)));
  const command = {
    ...sharpCommandOf(String(threads)),
    limits: { wallMs: 0, cpuSeconds: 30 * 86_400, addressSpace: false, folderBytes: 4 * 2 ** 30, fileBytes: 2 * 2 ** 30 },
  };
  return openChildEngine(host, () => host.sandbox.spawn(command), { warm, question: mayKeep ? { mayKeep } : {} });
}

/** Files that the program imports. */
const imported = [
  "bmp-samples.mjs",
  "fits-samples.mjs",
  "gif-canvas.mjs",
  "heif-boxes.mjs",
  "pam-samples.mjs",
  "png-texts.mjs",
  "sharp-colours.mjs",
  "sharp-encoders.mjs",
  "sharp-failures.mjs",
  "sharp-fitting.mjs",
  "sharp-headers.mjs",
  "sharp-kept.mjs",
  "sharp-settled.mjs",
  "icc-profile.mjs",
  "svg-plain.mjs",
  "tiff-exif.mjs",
  "tiff-samples.mjs",
];

/**
 * The running Node and sharp's packages, read-only; nothing else of the clone is visible. `argument`: number of threads, or `--version`.
 */
export function sharpCommandOf(argument: string) {
  const entry = fileURLToPath(import.meta.resolve("sharp"));
  const modules = entry.slice(0, entry.lastIndexOf("/node_modules/") + "/node_modules/".length);
  const inside = "/opt/filemill/node_modules";
  const packages = ["sharp", "@img", "detect-libc", "semver"];
  return {
    program: "/opt/node",
    // By path rather than by name: resolving the name would read package files that are not visible.
    args: ["--max-old-space-size=1024", "/opt/filemill/sharp-child.mjs", join(inside, entry.slice(modules.length)), argument],
    // With fewer arenas than threads, a small picture takes a fortieth longer; each arena costs about a megabyte.
    env: { MALLOC_ARENA_MAX: "8", NODE_ENV: "production" },
    readOnly: {
      [process.execPath]: "/opt/node",
      [fileURLToPath(new URL("./sharp-child.mjs", import.meta.url))]: "/opt/filemill/sharp-child.mjs",
      ...Object.fromEntries(imported.map((name) => [fileURLToPath(new URL(`./${name}`, import.meta.url)), `/opt/filemill/${name}`])),
      ...Object.fromEntries(packages.map((name) => [join(modules, name), join(inside, name)])),
    },
  };
}
