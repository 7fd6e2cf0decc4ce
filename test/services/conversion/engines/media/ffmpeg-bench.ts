/** The FFmpeg engine for a test file, and FFmpeg itself to create inputs and inspect results. */
import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { EngineHost } from "#services/conversion/domain/engine.ts";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { type Bench, useBench } from "#test/contract/engine.ts";

export const execute = promisify(execFile);

export const words = (text: string): readonly string[] => text.split(" ");

/** FFmpeg's log output. */
export async function ffmpeg(...args: readonly string[]): Promise<string> {
  return (await execute("ffmpeg", ["-nostdin", "-hide_banner", "-y", ...args])).stderr;
}

/** All numbers that ffprobe reports for some entries, such as `packet=duration_time`. */
export async function numbersOf(path: string, entries: string, ...more: readonly string[]): Promise<readonly number[]> {
  const { stdout } = await execute("ffprobe", ["-v", "error", ...more, "-show_entries", entries, "-of", "csv=p=0", path]);
  return stdout
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map(Number);
}

/** Fields of the first track of a kind, as ffprobe reports them. */
export async function told(path: string, sort: "a:0" | "v:0", ...names: readonly string[]): Promise<readonly string[]> {
  const args = ["-v", "error", "-select_streams", sort, "-show_entries", `stream=${names.join(",")}`, "-of", "json"];
  const [stream] = JSON.parse((await execute("ffprobe", [...args, path])).stdout).streams;
  return names.map((name) => String(stream[name] ?? "unknown"));
}

type FfmpegBench = {
  readonly convert: Bench["convert"];
  readonly pathOf: (name: string) => string;
  /** Programs that the engine has run so far. */
  readonly programs: string[];
};

/** Opens the engine before a file's tests and closes it afterwards. */
export function ffmpegBench(): FfmpegBench {
  const programs: string[] = [];
  const told = ({ sandbox, ...host }: EngineHost): EngineHost => ({
    ...host,
    sandbox: {
      ...sandbox,
      run(command) {
        programs.push(basename(command.program));
        return sandbox.run(command);
      },
    },
  });
  const bench = useBench({ ...ffmpegEngine, open: (host) => ffmpegEngine.open(told(host)) });
  return { convert: (...given) => bench.convert(...given), pathOf: (name) => join(bench.folder, name), programs };
}
