/**
 * The engines as a library, for `filemill convert`, which needs no service. Separate from compose.ts because it loads a third of the code.
 */
import { copyFile, rm } from "node:fs/promises";
import { basename } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { formatOfFileName } from "#formats/index.ts";
import { listedOf } from "#gateway/exchange/catalogue-view.ts";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { openDataDir } from "#kit/data-dir.ts";
import type { Log } from "#kit/log.ts";
import type { Settings } from "#kit/settings.ts";
import { catalogueOf, mayServe, type PlanQuery, readProofOf } from "#services/catalogue/index.ts";
import { type OneOffConverter, openOneOffConverter } from "#services/conversion/index.ts";
import { unreadable } from "./cli/unreadable.ts";
import type { ConvertTask, Library } from "./cli/library.ts";
import { formatOfOutput } from "./cli/target-format.ts";
import { routeJson } from "./rest/route-json.ts";

/**
 * Opens planner, engines and sandbox in this process, without broker, queue or key.
 *
 * @param attacksAnyway - Tests the sandbox with attacks even if a recorded test shows that it holds.
 */
export async function openLibrary(settings: Settings, log: Log, attacksAnyway = false): Promise<Library> {
  await openDataDir(settings.DATA_DIR);
  const slots = { IMAGE_SLOTS: 1, DOCUMENT_SLOTS: 1, OFFICE_SLOTS: 1, MEDIA_SLOTS: 1 };
  const converter = await openOneOffConverter({ ...settings, ...slots }, log, attacksAnyway);
  /** Reads all proofs. That takes 0.1 s, which a single conversion can do without. */
  const whole = once(() => readProofOf(settings));

  async function planOf(query: PlanQuery): Promise<Plan> {
    const serves = mayServe(query);
    const near = await readProofOf(settings, serves);
    try {
      return await converter.plan((manifest) => catalogueOf([manifest], near).plan(query), serves);
    } catch (error) {
      if (!(error instanceof FilemillError)) throw error;
      // Only the whole catalogue knows the alternatives.
      const proof = await whole();
      return converter.plan((manifest) => catalogueOf([manifest], proof).plan(query));
    }
  }

  const engines = async () => {
    const proof = await whole();
    const isProven = (engine: string, version: string, { from, to }: { readonly from: string; readonly to: string }) =>
      proof?.rowOf([{ engine, from, to, versions: [version] }]) !== undefined;
    const all = await converter.engines();
    return all.map((engine) => ({ ...engine, proven: engine.hops.filter((hop) => isProven(engine.id, engine.version ?? "", hop)).length }));
  };
  const catalogue = async () => catalogueOf([await converter.manifest()], await whole());
  return {
    convert: (task) => convert(converter, planOf, task),
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

async function convert(
  converter: OneOffConverter,
  planOf: (query: PlanQuery) => Promise<Plan>,
  task: ConvertTask,
): ReturnType<Library["convert"]> {
  const from = task.from ?? (await formatOfInput(task.inputPath, converter.tell));
  const to = task.to ?? formatOfOutput(task.outputPath);
  const plan = await planOf({ from, to, options: task.options });
  if (plan.resultFormat !== "" && formatOfFileName(basename(task.outputPath))?.id !== plan.resultFormat) {
    throw new FilemillError("INVALID_OPTION", `The result has several files: name the output .${plan.resultFormat} and add --to ${to}.`);
  }
  const notes: { code: string; message: string }[] = [];
  const made = converter.newPath(to);
  try {
    await converter.run(plan, task.inputPath, made, {
      signal: task.signal,
      password: task.password,
      outputPassword: task.outputPassword,
      planOf: (from, to) => planOf({ from, to, options: {} }),
      alternates: { nextBest: (query) => planOf(query).catch(() => undefined) },
      onProgress: (fraction) => task.onProgress?.({ stage: "converting", fraction }),
      onNote: (code, message) => void notes.push({ code, message }),
    });
    await copyFile(made, task.outputPath);
  } finally {
    await rm(made, { force: true });
  }
  return { notes };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function tellInput(path: string, tell: OneOffConverter["tell"]): ReturnType<OneOffConverter["tell"]> {
  return tell(path, basename(path)).catch(unreadable(path, "INVALID_INPUT"));
}

async function formatOfInput(path: string, tell: OneOffConverter["tell"]): Promise<string> {
  const { format } = await tellInput(path, tell);
  if (format !== undefined) return format;
  throw new FilemillError("UNKNOWN_SOURCE_FORMAT", "The format cannot be told from content or name; add --from FORMAT.");
}
