/** One run of the prover: select, execute, write, summarise. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { enginesOfPath, keyOf, type ProofFile, type ProofRow } from "#services/catalogue/domain/proof.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";
import { openConverter } from "#services/conversion/index.ts";
import { isAsked, isChosen } from "./asked.ts";
import { changedEngines } from "./changes.ts";
import { drawn } from "./drawn.ts";
import { planOfProven } from "./entries.ts";
import { everydayFirst } from "./everyday.ts";
import { execute } from "./execute.ts";
import { lostOf, worsenedOf } from "./losses.ts";
import { messageOf } from "./message-of.ts";
import { announcedBy } from "./notes.ts";
import { fingerprintOf, forgetProgress, type Progress, readProgress, tellService, writeProgress } from "./progress.ts";
import { committedProof, committedRowsThatHold, merged, readProof, rowsThatHold, writeProof } from "./store.ts";
import { declarationsOf, declaredHash, directTargets, noteEveryday, plannedTargets, type Target, targetKey, targetOf } from "./targets.ts";

export type ProveRequest = {
  /** Prove everything again. */
  readonly all: boolean;
  readonly engine: readonly string[];
  /** `from:to`; either may be `*`. */
  readonly route: readonly string[];
  /** Only this many, drawn at random. */
  readonly sample: number | undefined;
  readonly seed: string;
  /** What has no proof or a new declaration, as by default, and also hops of engines whose sources changed since the last proof. */
  readonly changed: boolean;
  /** Also what failed before. */
  readonly failed: boolean;
  /** Only what Filemill ships no proof of for the installed versions, everyday conversions first; writes to DATA_DIR/proof.tsv. */
  readonly local: boolean;
  /** Report progress in DATA_DIR/proving.json. */
  readonly background: boolean;
  /** Write nothing; a failure of a proven route fails the run. */
  readonly check: boolean;
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Number of parallel conversions. */
  readonly atOnce: number;
  /** Ends the run early: results so far are kept, nothing is judged. */
  readonly signal: AbortSignal;
  say(line: string): void;
};

const saveEveryMs = 30_000;
const maxRounds = 8;
/** For a sampled run: more than these require a run of their own. */
const maxStale = 100;
const maxChanged = 150;
const unknownMs = 500;

/** Whether every listed route has a passing proof, and what was proven again still passes. */
export async function prove(request: ProveRequest): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-prove-"));
  const { atOnce } = request;
  const settings = parseSettings(settingTable, request.settings);
  try {
    await using converter = await openConverter(
      { ...settings, DATA_DIR: folder, IMAGE_SLOTS: atOnce, DOCUMENT_SLOTS: atOnce, OFFICE_SLOTS: 2, MEDIA_SLOTS: atOnce },
      openLog("error"),
    );
    converter.warm();
    const path = request.local ? (settings.PROOF_FILE ?? join(resolve(settings.DATA_DIR), "proof.tsv")) : committedProof;
    return await run(request, converter, path, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(request: ProveRequest, converter: Converter, path: string, folder: string): Promise<boolean> {
  const present = converter.engines().filter(({ version }) => version !== undefined);
  const here = new Map(present.map(({ id, version }) => [id, version ?? ""]));
  noteEveryday(present);
  const file = await readProof(path);
  if (request.check && file.rows.length === 0) {
    request.say("Nothing is proven yet: npm run prove -- --all");
    return false;
  }
  const declared = declarationsOf(present);
  const hashOf = (target: Target) => declaredHash(target, declared);
  const holding = rowsThatHold(file, here, declared);
  const included = request.local && !request.all ? await committedRowsThatHold(here, declared) : [];
  // What is to be tried again counts as untried, otherwise nothing would be planned through it.
  const isForgotten = (row: ProofRow): boolean =>
    isAsked(request, row, enginesOfPath(row.path)) && (request.all || (request.failed && row.word === "failed"));
  const known = new Map([...included, ...holding].filter((row) => !isForgotten(row)).map((row) => [keyOf(row), row]));
  const fresh = new Map<string, ProofRow>();
  const changed = request.changed ? await changedEngines() : undefined;
  if (request.changed)
    request.say(changed === undefined ? "no history to compare with" : `changed: ${[...changed].join(" ") || "no engine"}`);
  const progress = isWhole(request) ? { path: `${path}.all`, fingerprint: await fingerprintOf(here) } : undefined;
  const state: State = {
    request,
    path,
    folder,
    file,
    holding,
    here,
    known,
    fresh,
    hashOf,
    changed: changed ?? new Set(),
    progress,
    planned: 0,
  };
  // A check covers the routes that the file yields: its own measurements must not add others.
  const planning = request.check ? new Map(known) : known;
  const targets = () => [...directTargets(present), ...plannedTargets(converter.manifest("prove").engines, planning)];
  if (progress !== undefined) await resume(state);
  for (let round = 1; round <= maxRounds && !request.signal.aborted; round++) {
    const chosen = choose(state, targets());
    if (chosen.length === 0) break;
    request.say(`round ${round}: ${chosen.length} to prove${request.sample === undefined ? "" : `, seed ${request.seed}`}`);
    state.planned = state.fresh.size + chosen.length;
    for (const batch of request.local ? everydayFirst(chosen) : [chosen]) {
      await executeRound(state, converter, batch, request.atOnce);
      if (request.background && !request.signal.aborted) await saveSoFar(state);
    }
    if (request.sample !== undefined) break;
  }
  await retryLost(state, converter);
  if (request.signal.aborted) return endedEarly(state);
  if (!request.check) await save(state, true);
  if (progress !== undefined) await forgetProgress(progress);
  if (request.background) await tellService(request.settings, undefined);
  return summary(state, targets());
}

/** Writes the results so far. */
async function saveSoFar(state: State): Promise<void> {
  await save(state, false);
  const { request, fresh, planned } = state;
  if (request.background) await tellService(request.settings, { done: fresh.size, of: Math.max(planned, fresh.size) });
}

/** Resumes a full run that ended early, unless sources, samples or programs have changed. */
async function resume({ request, progress, fresh, known }: State): Promise<void> {
  const done = progress === undefined ? [] : await readProgress(progress);
  for (const row of done) {
    fresh.set(keyOf(row), row);
    known.set(keyOf(row), row);
  }
  if (done.length > 0) request.say(`${done.length} were proven by a run that ended early`);
}

/** Keeps the results so far; the next full run resumes. */
async function endedEarly(state: State): Promise<false> {
  if (!state.request.check) await save(state, false);
  state.request.say(`ended early: ${state.fresh.size} executed`);
  return false;
}

/** An overloaded machine fails working conversions: those proven before are retried once, one at a time. */
async function retryLost(state: State, converter: Converter): Promise<void> {
  const again = lostOf(state).map(targetOf);
  if (again.length === 0 || state.request.signal.aborted) return;
  state.request.say(`once more: ${again.length}`);
  await executeRound(state, converter, again, 1);
}

type State = {
  readonly request: ProveRequest;
  readonly path: string;
  /** For files made and read; removed at the end. */
  readonly folder: string;
  readonly file: ProofFile;
  readonly holding: readonly ProofRow[];
  readonly here: ReadonlyMap<string, string>;
  readonly known: Map<string, ProofRow>;
  readonly fresh: Map<string, ProofRow>;
  /** Engines whose sources changed since the last proof. */
  readonly changed: ReadonlySet<string>;
  readonly progress: Progress | undefined;
  /** Number of this run's targets known so far. */
  planned: number;
  hashOf(target: Target): string;
};

/** Whether everything is proven again and written. */
function isWhole(request: ProveRequest): boolean {
  return request.all && !isChosen(request) && !request.check;
}

function choose(state: State, targets: readonly Target[]): readonly Target[] {
  const { request, known, fresh, hashOf } = state;
  const { all, sample, seed } = request;
  const isStale = (target: Target): boolean => known.get(targetKey(target))?.declared !== hashOf(target);
  const asked = targets.filter((target) => !fresh.has(targetKey(target)) && isAsked(request, target, enginesOf(target)));
  if (all) return asked;
  const stale = asked.filter(isStale);
  const proven = asked.filter((target) => !isStale(target) && known.get(targetKey(target))?.word !== "failed");
  const touched = touchedOf(state, proven);
  if (sample === undefined) return [...stale, ...touched];
  const untouched = proven.filter((target) => !touched.includes(target));
  return [...drawn(stale, maxStale, seed), ...touched, ...drawn(untouched, sample, seed)];
}

/** Hops of changed engines, up to a limit; the rest are listed. */
function touchedOf({ request, changed }: State, proven: readonly Target[]): readonly Target[] {
  const hops = proven.filter(({ hops: [hop, ...more] }) => more.length === 0 && hop !== undefined && changed.has(hop.engine));
  const touched = drawn(hops, maxChanged, request.seed);
  const left = Map.groupBy(
    hops.filter((hop) => !touched.includes(hop)),
    (hop) => enginesOf(hop)[0] ?? "",
  );
  for (const [engine, some] of left) {
    request.say(`changed and not proven by this run: ${engine} ${some.map(({ from, to }) => `${from}>${to}`).join(" ")}`);
  }
  return touched;
}

function enginesOf({ hops }: Target): readonly string[] {
  return hops.map(({ engine }) => engine);
}

async function executeRound(state: State, converter: Converter, targets: readonly Target[], atOnce: number): Promise<void> {
  const { request, fresh, known, hashOf, folder } = state;
  const { say, signal, settings: env } = request;
  let [done, failed, savedMs] = [0, 0, performance.now()];
  const msBefore = new Map(state.file.rows.map((row) => [keyOf(row), row.ms]));
  const today = new Date().toISOString().slice(0, 10);
  await execute(targets, atOnce, {
    ...{ converter, today, folder, env, signal, say, planOf: planOfProven(converter, state.file) },
    msOf: (target) => msBefore.get(targetKey(target)) ?? unknownMs,
    declared: hashOf,
    expected: announcedBy(converter.manifest("prove").engines),
    onRow(row) {
      const key = keyOf(row);
      const before = known.get(key);
      fresh.set(key, row);
      known.set(key, row);
      done += 1;
      if (row.word === "failed") {
        failed += 1;
        if (before === undefined || before.word !== "failed")
          say(`  FAILED ${row.from} > ${row.to} by ${row.path}: ${row.why} ${JSON.stringify(row.figures)}`);
      }
      if (done % 100 === 0) say(`  ${done} of ${targets.length}, ${failed} failed`);
      if (!request.check && performance.now() - savedMs > saveEveryMs) {
        savedMs = performance.now();
        saveSoFar(state).catch((error: unknown) => say(`  not written: ${messageOf(error)}`));
      }
    },
  });
}

let saving: Promise<void> = Promise.resolve();

/** Sequential, because every save writes the same file. A full run leaves the proof file unchanged until it has ended. */
function save({ request, path, file, here, holding, fresh, progress }: State, hasEnded: boolean): Promise<void> {
  const engines = new Map([...file.engines, ...here]);
  const unfinished = request.local && (!hasEnded || isChosen(request));
  const written = saving.then(() => {
    if (progress === undefined) return writeProof(path, { engines, rows: merged(holding, fresh.values()), unfinished });
    if (!hasEnded) return writeProgress(progress, { engines, rows: [...fresh.values()] });
    const ofOthers = holding.filter((row) => !enginesOfPath(row.path).every((engine) => here.has(engine)));
    return writeProof(path, { engines, rows: merged(ofOthers, fresh.values()) });
  });
  saving = written.catch(() => undefined);
  return written;
}

function summary(state: State, targets: readonly Target[]): boolean {
  const { request, known, fresh, holding, hashOf } = state;
  const rows = [...fresh.values()];
  const failed = rows.filter(({ word }) => word === "failed");
  const lost = lostOf(state);
  const unproven = targets.filter((target) => known.get(targetKey(target))?.declared !== hashOf(target));
  for (const [group, some] of Map.groupBy(failed, groupOf)) request.say(`failed: ${String(some.length).padStart(5)}  ${group}`);
  for (const row of request.check ? worsenedOf(state) : [])
    request.say(`measured lower than listed: ${row.from} > ${row.to} by ${row.path}: ${row.word}`);
  for (const row of lost) request.say(`was proven and fails now: ${row.from} > ${row.to} by ${row.path}: ${row.why}`);
  request.say(
    `${rows.length} executed: ${rows.length - failed.length} passed, ${failed.length} failed; ${unproven.length} of ${targets.length} without a proof`,
  );
  if (request.check || request.sample !== undefined) {
    const before = new Map(holding.map((row) => [keyOf(row), row]));
    const stale = targets.filter((target) => before.get(targetKey(target))?.declared !== hashOf(target));
    if (stale.length > 0) request.say(`${stale.length} are new, or declared or versioned otherwise than in the proof file: npm run prove`);
    return lost.length === 0 && stale.length === 0;
  }
  return lost.length === 0 && (isChosen(request) || unproven.length === 0);
}

function groupOf({ path, why, reader, figures }: ProofRow): string {
  const below =
    Object.keys(figures).length === 0
      ? why.replaceAll(/\b[a-z0-9]{1,8} to [a-z0-9]{1,10}:/g, "")
      : `${Object.keys(figures).join(" ")} by ${reader}`;
  return `${enginesOfPath(path).at(-1)}: ${below.slice(0, 100)}`;
}
