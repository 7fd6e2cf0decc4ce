import type { Chosen } from "#client/many/walk.ts";
import { refusalText, t } from "#client/parts/language.tsx";
import { ApiError, call, messageOf, offline } from "#client/server/api.ts";
import { me, planOf, renewMe } from "#client/server/session.ts";
import type { Job } from "#client/server/wire.ts";
import { formatOfFile, formats, loadRoutes, routesFrom } from "./catalogue.ts";
import { follow, isEnded, online, pause } from "./follow.ts";
import { hold, isHeld } from "./hold.tsx";
import { newId } from "./ids.ts";
import { change, changeEach, drop, enter, type Failure, type Item, isBusy, itemOf, items, news, type Phase } from "./items.ts";
import { forget, lastTarget, remember, rememberedJobs, rememberTarget } from "./memory.ts";
import { popularOf } from "./popular.ts";
import { firstChoices } from "./presets.ts";
import { giveUpUpload, upload } from "./upload.ts";

/** Number of files sent or converted at the same time; fewer if the plan allows fewer. */
const AT_ONCE = 3;
/** Errors that are temporary. */
const patience = new Set(["RATE_LIMITED", "TOO_MANY_JOBS", "OVERLOADED", "UNAVAILABLE", "OFFLINE"]);
const MAX_TRIES = 20;

const lostConnection = (): Phase => ({ name: "waiting", why: t("progress.offlineText"), offline: true });

const running = new Map<string, AbortController>();

let batches = 0;

/** Adds files to the list and detects their formats. `to`: the suggested target, if it is available. */
export function addFiles(chosen: Iterable<Chosen>, to?: string): void {
  batches += 1;
  const added = [...chosen].map(({ file, folder }): Item => {
    const from = formatOfFile(file.name, file.type)?.id;
    return {
      ...{ id: newId(), name: file.name, folder, batch: batches, sizeBytes: file.size, file, from, fromChosen: false },
      ...{ to: undefined, options: {}, jobId: undefined, phase: { name: "choosing" } },
    };
  });
  items.value = [...added, ...items.value];
  for (const [from, alike] of Map.groupBy(added, (item) => item.from)) {
    const ids = alike.map(({ id }) => id);
    if (from !== undefined) void offer(ids, from, to);
  }
}

/** Loads the conversions from a format and suggests a target for the files: the last one chosen, otherwise the most common. */
export async function offer(ids: readonly string[], from: string, wanted = lastTarget(from)): Promise<void> {
  try {
    await loadRoutes(from);
  } catch (error) {
    changeEach(new Set(ids), () => ({ phase: { name: "failed", failure: failureOf(error) } }));
    return;
  }
  const routes = routesFrom(from);
  if (routes === undefined) return;
  const kind = formats.value?.find((format) => format.id === from)?.kind ?? "";
  const route = routes.find(({ to }) => to === wanted) ?? popularOf(routes, kind, 1)[0];
  changeEach(new Set(ids), (item) => (item.to === undefined ? { to: route?.to, options: firstChoices(route) } : {}));
}

export function choose(id: string, to: string): void {
  const item = itemOf(id);
  if (item?.from !== undefined) rememberTarget(item.from, to);
  const routes = item?.from === undefined ? undefined : routesFrom(item.from);
  change(id, { to, options: firstChoices(routes?.find((route) => route.to === to)) });
}

export function convert(...chosen: readonly Item[]): void {
  const ready = chosen.filter(({ to, file }) => to !== undefined && file !== undefined);
  changeEach(new Set(ready.map(({ id }) => id)), () => ({ phase: { name: "waiting" } }));
  pump();
}

/** Starts waiting files while there is capacity. */
function pump(): void {
  if (isHeld()) return;
  const room = Math.min(AT_ONCE, planOf(me.value)?.maxUnfinishedJobs ?? AT_ONCE);
  // The list shows the newest batch first, but files start in order of arrival, and within a batch in list order.
  for (const item of items.value.toSorted((a, b) => a.batch - b.batch)) {
    if (running.size >= room) return;
    if (item.phase.name === "waiting" && !running.has(item.id)) void runOne(item);
  }
}

async function runOne(item: Item): Promise<void> {
  const stop = new AbortController();
  running.set(item.id, stop);
  try {
    const job = item.jobId === undefined ? await send(item, stop.signal) : undefined;
    const jobId = job?.id ?? item.jobId ?? "";
    settle(
      item.id,
      job !== undefined && isEnded(job)
        ? job
        : await follow(
            jobId,
            (now, progress) => show(item.id, now, progress),
            stop.signal,
            () => enter(item.id, lostConnection()),
          ),
    );
  } catch (error) {
    if (!stop.signal.aborted) fail(item.id, error);
  } finally {
    running.delete(item.id);
    pump();
    void renewMe().catch(() => {});
  }
}

/** Uploads until the server has accepted the file. Waits and retries if the server has no capacity. */
async function send(item: Item, signal: AbortSignal): Promise<Job> {
  const { id, file, to, options, password, fromChosen, from } = item;
  const outputPassword = options.protect === true ? item.outputPassword : undefined;
  if (file === undefined || to === undefined) throw new RangeError("nothing to send");
  const idempotencyKey = item.upload?.idempotencyKey ?? newId();
  const onBegun = (address: string): void => change(id, { upload: { address, idempotencyKey } });
  let farthest = 0;
  for (let tries = 1; ; tries++) {
    enter(id, { name: "uploading", fraction: itemOf(id)?.upload === undefined ? 0 : farthest });
    const onProgress = (fraction: number): void => {
      // A connection that keeps breaking but makes progress is not given up.
      if (fraction > farthest) tries = 0;
      farthest = Math.max(farthest, fraction);
      enter(id, fraction < 1 ? { name: "uploading", fraction } : { name: "working", job: undefined, progress: undefined });
    };
    try {
      const secrets = { password, outputPassword };
      const begun = itemOf(id)?.upload?.address;
      const how = { idempotencyKey, signal, begun, onBegun, onProgress };
      const job = await upload({ file, to, from: fromChosen ? from : undefined, options, ...secrets, ...how });
      change(id, { jobId: job.id, upload: undefined });
      remember({ jobId: job.id, name: item.name, folder: item.folder, sizeBytes: item.sizeBytes });
      return job;
    } catch (thrown) {
      const error = await readable(file, thrown);
      if (!(error instanceof ApiError) || tries >= MAX_TRIES) throw error;
      const isUploadGone = error.code === "NOT_FOUND" && itemOf(id)?.upload !== undefined;
      if (isUploadGone) change(id, { upload: undefined });
      else if (!patience.has(error.code)) throw error;
      enter(id, error.code === "OFFLINE" ? lostConnection() : { name: "waiting", why: t("progress.acceptedSoon") });
      const waitMs = Math.min(error.retryAfterMs ?? 1000 * tries, 60_000);
      // The other files would be refused as well.
      if (error.code === "RATE_LIMITED") hold(waitMs, pump);
      await pause(waitMs, signal);
      await online(signal);
    }
  }
}

/** If a file was changed or removed after it was chosen, the upload fails like a lost connection. This tells them apart. */
async function readable(file: File, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== "OFFLINE") return error;
  try {
    await file.slice(0, 1).arrayBuffer();
    return offline();
  } catch {
    return new ApiError(0, { error: { code: "FILE_UNREADABLE", message: t("error.FILE_UNREADABLE") } }, null);
  }
}

function show(id: string, job: Job, progress: number | undefined): void {
  if (!isEnded(job)) enter(id, { name: "working", job, progress });
}

function settle(id: string, job: Job): void {
  // The server's detection overrides the guess by name.
  change(id, { from: job.from, phase: endOf(job) });
  const item = itemOf(id);
  if (item !== undefined && job.status === "done") news.value = t("text.isReady", { name: item.name, format: job.to });
}

function endOf(job: Job): Phase {
  switch (job.status) {
    case "done":
      return { name: "done", job };
    case "failed": {
      const { code, message } = job.error ?? { code: "CONVERSION_FAILED", message: t("error.CONVERSION_FAILED") };
      return { name: "failed", failure: { code, message, details: {} } };
    }
    case "expired":
      return { name: "gone", why: t("error.RESULT_EXPIRED") };
    default:
      return { name: "gone", why: t("text.cancelled") };
  }
}

function fail(id: string, error: unknown): void {
  const { jobId } = itemOf(id) ?? {};
  if (error instanceof ApiError && error.code === "JOB_NOT_FOUND" && jobId !== undefined) {
    forget(jobId);
    change(id, {
      jobId: undefined,
      phase: { name: "gone", why: t("text.jobGone") },
    });
    return;
  }
  if (error instanceof ApiError && error.job !== undefined) change(id, { jobId: error.job.id, upload: undefined });
  news.value = t("aria.pair", { name: itemOf(id)?.name ?? "", value: refusalText(failureOf(error)) });
  enter(id, { name: "failed", failure: failureOf(error) });
}

function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return { code: error.code, message: error.message, details: error.details };
  return { code: "PAGE_FAILED", message: messageOf(error), details: {} };
}

/** Cancels a file's conversion and returns to the choice of its target. */
export async function cancel(item: Item): Promise<void> {
  running.get(item.id)?.abort();
  const { jobId = undefined, upload: begun } = itemOf(item.id) ?? item;
  if (jobId !== undefined) forget(jobId);
  giveUpUpload(begun);
  if (item.file === undefined) drop(item.id);
  else change(item.id, { jobId: undefined, upload: undefined, phase: { name: "choosing" } });
  if (jobId !== undefined) await call(`/jobs/${jobId}`, { method: "DELETE" }).catch(() => {});
}

/** Lets files be converted again, after a failure or to another format. */
export function again(...chosen: readonly Item[]): void {
  for (const { jobId } of chosen) if (jobId !== undefined) forget(jobId);
  changeEach(new Set(chosen.map(({ id }) => id)), () => ({ jobId: undefined, phase: { name: "choosing" } }));
}

/** Converts the file again with its password. */
export function unlock(item: Item, password: string): void {
  again(item);
  change(item.id, { password });
  convert(...items.value.filter(({ id }) => id === item.id));
}

/** Removes a file from the list. Its job stays in the list of jobs. */
export function dismiss(item: Item): void {
  if (isBusy(item)) void cancel({ ...item, file: undefined });
  else {
    if (item.jobId !== undefined) forget(item.jobId);
    giveUpUpload(item.upload);
  }
  drop(item.id);
}

/** Restores the list after a reload. `kept`: files that the browser still has. */
export async function resume(kept: readonly Item[] = []): Promise<void> {
  const shown = rememberedJobs();
  const order = new Map(shown.map(({ jobId }, index) => [jobId, index]));
  await Promise.all(
    shown
      .map(async ({ jobId, name, folder = "", sizeBytes }) => {
        const { job } = await call<{ job: Job }>(`/jobs/${jobId}`);
        const own = kept.find((item) => item.jobId === jobId);
        const item: Item = {
          ...{ id: jobId, name, folder, batch: 0, sizeBytes, file: undefined, from: job.from, fromChosen: false },
          ...{ to: job.to, options: {}, jobId, ...own, phase: { name: "waiting" } },
        };
        items.value = [...items.value, item].toSorted((a, b) => orderOf(a) - orderOf(b));
        if (isEnded(job)) settle(item.id, job);
      })
      .map((resumed, index) =>
        resumed.catch((error: unknown) => {
          // The job is gone or belongs to another account.
          if (error instanceof ApiError && error.status === 404) forget(shown[index]?.jobId ?? "");
        }),
      ),
  );
  const shownIds = new Set(items.value.map(({ id }) => id));
  const waiting = kept
    .filter(({ id }) => !shownIds.has(id))
    .map((item): Item => (item.jobId === undefined ? item : { ...item, jobId: undefined, phase: { name: "choosing" } }));
  items.value = [...waiting, ...items.value];
  for (const from of new Set(waiting.flatMap((item) => item.from ?? []))) {
    const ids = waiting.filter((item) => item.from === from).map(({ id }) => id);
    void offer(ids, from);
  }
  pump();

  function orderOf(item: Item): number {
    return order.get(item.jobId ?? "") ?? 0;
  }
}
