/** The engines as a library: what `filemill convert` uses without a service. Beside compose.ts, for it loads a third of that. */
import { copyFile, rm } from "node:fs/promises";
import { basename } from "node:path";
import { formatOfFileName } from "#formats/index.ts";
import { listedOf } from "#gateway/exchange/catalogue-view.ts";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { openDataDir } from "#kit/data-dir.ts";
import { FilemillError } from "#kit/errors.ts";
import type { Log } from "#kit/log.ts";
import type { Settings } from "#kit/settings.ts";
import { catalogueOf, type PlanQuery, readProof } from "#services/catalogue/index.ts";
import { type OneOffConverter, openOneOffConverter } from "#services/conversion/index.ts";
import type { ConvertTask, Library } from "./cli/library.ts";
import { formatOfOutput } from "./cli/target-format.ts";
import { routeJson } from "./rest/route-json.ts";

/** Planner, engines and sandbox in this process, without broker, queue or key: what `filemill convert` uses. */
export async function openLibrary(settings: Settings, log: Log): Promise<Library> {
  await openDataDir(settings.DATA_DIR);
  const slots = { IMAGE_SLOTS: 1, DOCUMENT_SLOTS: 1, OFFICE_SLOTS: 1, MEDIA_SLOTS: 1 };
  const converter = await openOneOffConverter({ ...settings, ...slots }, log);
  const proof = await readProof(settings);
  const planOf = (query: PlanQuery): Promise<Plan> => converter.plan((manifest) => catalogueOf([manifest], proof).plan(query));

  async function convert(task: ConvertTask): ReturnType<Library["convert"]> {
    const from = task.from ?? (await formatOfInput(task.inputPath, converter.tell));
    const to = task.to ?? formatOfOutput(task.outputPath);
    const plan = await planOf({ from, to, options: task.options });
    if (plan.resultFormat !== "" && formatOfFileName(basename(task.outputPath))?.id !== plan.resultFormat) {
      throw new FilemillError("INVALID_OPTION", `Several files come in one: name the output .${plan.resultFormat} and say --to ${to}.`);
    }
    const notes: { code: string; message: string }[] = [];
    const made = converter.newPath(to);
    try {
      const request = {
        signal: task.signal,
        password: task.password,
        outputPassword: task.outputPassword,
        planOf: (from: string, to: string) => planOf({ from, to, options: {} }),
        alternates: { nextBest: (query: PlanQuery) => planOf(query).catch(() => undefined) },
        onProgress: (fraction: number) => task.onProgress?.({ stage: "converting", fraction }),
        onNote: (code: string, message: string) => void notes.push({ code, message }),
      };
      await converter.run(plan, task.inputPath, made, request);
      await copyFile(made, task.outputPath);
    } finally {
      await rm(made, { force: true });
    }
    return { notes };
  }
  const provenOf = ({ id, version = "", hops }: Awaited<ReturnType<typeof converter.engines>>[number]): number =>
    hops.filter(({ from, to }) => proof?.rowOf([{ engine: id, from, to, versions: [version] }]) !== undefined).length;
  const engines = async () => (await converter.engines()).map((engine) => ({ ...engine, proven: provenOf(engine) }));
  const catalogue = async () => catalogueOf([await converter.manifest()], proof);
  return {
    convert,
    engines,
    formats: async () => listedOf((await catalogue()).list()),
    async route(from, to) {
      const { route, ...known } = (await catalogue()).route({ from, to });
      return routeJson(route, known, undefined);
    },
    tell: (path) => tellInput(path, converter.tell),
    [Symbol.asyncDispose]: () => converter[Symbol.asyncDispose](),
  };
}

function tellInput(path: string, tell: OneOffConverter["tell"]): ReturnType<OneOffConverter["tell"]> {
  return tell(path, basename(path)).catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof FilemillError) throw cause;
    throw new FilemillError("INVALID_INPUT", `The file cannot be read (${cause.code ?? "unknown"}).`, { cause });
  });
}

async function formatOfInput(path: string, tell: OneOffConverter["tell"]): Promise<string> {
  const { format } = await tellInput(path, tell);
  if (format !== undefined) return format;
  throw new FilemillError("UNKNOWN_SOURCE_FORMAT", "Neither content nor name tells the format; say --from FORMAT.");
}
