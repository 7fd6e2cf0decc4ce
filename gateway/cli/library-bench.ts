/** The tools for agents, for local files. Each result is written next to its source or to the requested path. */
import { access, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ulid } from "ulid";
import { FilemillError } from "#contract/errors.ts";
import { formatOf, formatOfFileName, parseFormatId } from "#formats/index.ts";
import { checkReadable, textPageOf } from "#gateway/mcp/text-page.ts";
import type { ConvertOrder, JobView, Workbench } from "#gateway/mcp/workbench.ts";
import type { Library } from "./library.ts";
import { unreadable } from "./unreadable.ts";

/** A local file. Text that an agent wrote is saved to a file first. */
export type LocalSource = { readonly path: string; readonly output?: string | undefined };

type LocalJob = { view: JobView; readonly path: string; readonly ended: Promise<void> };

/** Results without a requested path are in a temporary folder, which is deleted when the bench is disposed. */
export type LibraryBench = Workbench<LocalSource> & AsyncDisposable;

const keptJobs = 100;

export async function openLibraryBench(
  library: Pick<Library, "convert" | "formats" | "route">,
  defect: (error: unknown) => void,
): Promise<LibraryBench> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-mcp-"));
  const jobs = new Map<string, LocalJob>();
  const stop = new AbortController();
  let listed: ReturnType<Library["formats"]> | undefined;
  const formats = () => {
    listed ??= library.formats();
    return listed;
  };

  function begin(source: LocalSource, order: ConvertOrder): LocalJob {
    const to = parseFormatId(order.to)?.id ?? order.to;
    const id = ulid().toLowerCase();
    const path = source.output ?? join(folder, `${id}.${formatOf(to)?.extensions[0] ?? to}`);
    const facts = { id, from: order.from ?? formatOfFileName(basename(source.path))?.id ?? "", to, path };
    const view: JobView = { ...facts, status: "running", bytes: 0, notes: [], error: null, queuePosition: 0, estimateMs: null };
    const options = { options: order.options, signal: stop.signal, to, ...(order.from === undefined ? {} : { from: order.from }) };
    const run = async (): Promise<void> => {
      job.view = { ...view, ...(await endOf(library.convert({ inputPath: source.path, outputPath: path, ...options }), path, defect)) };
    };
    const job: LocalJob = { view, path, ended: Promise.resolve().then(run) };
    jobs.set(id, job);
    for (const old of [...jobs.keys()].slice(0, -keptJobs)) jobs.delete(old);
    return job;
  }

  const jobOf = (id: string): LocalJob => {
    const job = jobs.get(id);
    if (job === undefined) throw new FilemillError("JOB_NOT_FOUND", "No such job since this server started.");
    return job;
  };

  return {
    defect,
    formats: async () => (await formats()).formats,
    conversionsFrom: async (from) => (await formats()).conversions.filter((conversion) => conversion.from === from),
    route: (from, to) => library.route(from, to),
    async convert(source, order) {
      const job = begin(source, order);
      await ended(job, order.waitMs, order.signal);
      return job.view;
    },
    async job(id, waitMs, signal) {
      const job = jobOf(id);
      await ended(job, waitMs, signal);
      return job.view;
    },
    jobs: async () => [...jobs.values()].map(({ view }) => view).reverse(),
    readText: async (id, offset, maxBytes) => readText(jobOf(id), offset, maxBytes),
    async [Symbol.asyncDispose]() {
      stop.abort(new FilemillError("JOB_CANCELLED", "The server was stopped."));
      await Promise.all([...jobs.values()].map((job) => job.ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readText({ path, view }: LocalJob, offset: number, maxBytes: number): ReturnType<LibraryBench["readText"]> {
  checkReadable(formatOfFileName(basename(path))?.id ?? view.to);
  await using file = await open(path);
  return textPageOf((await file.stat()).size, offset, maxBytes, async (start, bytes) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
    return buffer.subarray(0, bytesRead);
  });
}

type End = Partial<JobView> & Pick<JobView, "status">;

async function endOf(converting: ReturnType<Library["convert"]>, path: string, defect: (error: unknown) => void): Promise<End> {
  try {
    const { notes } = await converting;
    return { status: "done", bytes: (await stat(path)).size, notes: [...notes] };
  } catch (error) {
    if (!(error instanceof FilemillError)) defect(error);
    const known = error instanceof FilemillError ? error : new FilemillError("INTERNAL", "Something went wrong on our side.");
    return { status: "failed", error: { code: known.code, message: known.message } };
  }
}

/** Resolves when the job has ended, `waitMs` has passed or the signal fires. */
async function ended(job: LocalJob, waitMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  await Promise.race([job.ended, sleep(waitMs, undefined, { signal: limit }).catch(() => undefined)]);
  over.abort();
}

/**
 * Path of a result: next to its source unless `output` is given. Overwrites a file only if `output` names it.
 *
 * @throws FilemillError BAD_REQUEST if the path is taken, INVALID_INPUT if the source does not exist
 */
export async function outputOf(path: string, to: string, output: string | undefined, folder: string): Promise<string> {
  await access(path).catch(unreadable(path, "INVALID_INPUT"));
  if (output !== undefined) return resolve(folder, output);
  const extension = formatOf(parseFormatId(to)?.id ?? "")?.extensions[0] ?? to;
  const place = join(dirname(path), `${basename(path, extname(path))}.${extension}`);
  const isTaken = await access(place).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new FilemillError("BAD_REQUEST", `${place} already exists; name another output.`);
  return place;
}
