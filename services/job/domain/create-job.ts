import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import {
  type CreateJobRequest,
  type Job,
  JobRecordSchema,
  JobSchema,
  JobState,
  ResultDelivery_State,
} from "#gen/filemill/job/v1/job_pb.ts";
import { tellMoment } from "#kit/moments.ts";
import { traceParent } from "#kit/tracing.ts";
import { checkCeiling } from "./admission.ts";
import { checkInput } from "./budget.ts";
import { settle } from "./end-job.ts";
import { digestOf, entryKeyOf, precedentOf } from "./idempotency.ts";
import { isJobId } from "./job-id.ts";
import { payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import { type Held, isUnwritten } from "./projection.ts";
import { takeShortPath } from "./short-path.ts";
import { deleted, isRecord, laneOf, type Record } from "./state.ts";

export type Created = { readonly job: Job; readonly replayed: boolean };

/** Enough for any request that loses races against its own duplicates. More rounds mean that something is wrong. */
const maxRounds = 8;

/**
 * Plans and checks a job. A job that is promised to a client is recorded and queued. A job that a client waits for takes the short path.
 * Either way its record is in the store when this resolves.
 *
 * @throws FilemillError with the codes that the RPC lists.
 */
export async function createJob(core: Core, asked: CreateJobRequest): Promise<Created> {
  const request = protecting(asked);
  if (request.input === undefined) throw new FilemillError("BAD_REQUEST", "A job needs an input.");
  const planning = core.plan({ from: request.from, to: request.to, options: request.options }).then((plan) => {
    checkCeiling(request.input?.sizeBytes ?? 0n, plan, request.planMaxInputMb);
    return plan;
  });
  if (request.idempotencyKey !== "") return createOnce(core, request, planning);

  const plan = await planning;
  const record = recordOf(core, request, plan, core.nextId(core.clock.now()), "");
  const held = await admitted(core, request, record);
  if (held === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  return { job: core.view(held), replayed: false };
}

/**
 * A password for the result implies `protect`. It is recorded with the job, so that no unprotected file results if the password is lost.
 * A conversion that cannot protect rejects the option.
 */
function protecting(request: CreateJobRequest): CreateJobRequest {
  if (request.outputPassword === "") return request;
  const { protect = "true" } = request.options;
  if (protect === "false" || protect === "0") {
    throw invalidOption("protect", "X-Output-Password protects the result; remove protect=false.", ["true"]);
  }
  return { ...request, options: { ...request.options, protect } };
}

async function createOnce(core: Core, request: CreateJobRequest, planning: Promise<Plan>): Promise<Created> {
  // A replay is answered even if the route has disappeared.
  planning.catch(() => undefined);
  const key = entryKeyOf(request.accountId, request.idempotencyKey);
  const requestDigest = digestOf(request);
  for (let round = 0; round < maxRounds; round += 1) {
    const entry = await core.keys.get(key);
    const first = entry !== undefined && isJobId(entry.jobId) ? await core.records.find(entry.jobId) : undefined;
    const nowMs = core.clock.now();
    const precedent = precedentOf(entry, first?.record, requestDigest, nowMs);
    switch (precedent.kind) {
      case "same":
        if (first !== undefined) return { job: core.view(first), replayed: true };
        break;
      case "other":
        throw new FilemillError(
          "IDEMPOTENCY_KEY_REUSED",
          "This Idempotency-Key was already used with a different request; choose a new one.",
        );
      case "free": {
        const plan = await planning;
        const jobId = core.nextId(nowMs);
        if (!(await core.keys.put(key, { jobId, requestDigest, createdAtMs: nowMs }, entry))) break;
        const held = await admitted(core, request, recordOf(core, request, plan, jobId, key));
        if (held !== undefined) return { job: core.view(held), replayed: false };
        break;
      }
      case "begun": {
        // Its creator may still be busy or have died. Both create the same id, so that only one of them makes the job.
        const held = await admitted(core, request, recordOf(core, request, await planning, precedent.jobId, key));
        if (held !== undefined) return { job: core.view(held), replayed: false };
        break;
      }
    }
  }
  throw new FilemillError("UNAVAILABLE", "The request could not be checked for duplicates; try again.", { retryAfterMs: 2000 });
}

/** Takes a place among the unfinished jobs, then runs or queues the job. Undefined if a duplicate was faster. */
async function admitted(core: Core, request: CreateJobRequest, record: Record): Promise<Held | undefined> {
  const { id } = record.job;
  const [payer, inputBytes] = [payerOf(record), Number(record.job.input?.sizeBytes ?? 0n)];
  checkInput(core, payer, record.budget, inputBytes, id);
  const giveBack = core.admission.take({ id, payer, inputBytes }, request.planMaxUnfinishedJobs);
  const { inputPassword: input, outputPassword: output } = request;
  if (input !== "" || output !== "") core.passwords.set(id, { input, output });
  try {
    // A job must be in the store before its place in the queue is promised. The same goes for requests of which several may create one job.
    const isStoredFirst = request.durable || request.idempotencyKey !== "" || record.job.async;
    const held = isStoredFirst ? await recordFirst(core, record) : await takeShortPath(core, record);
    if (held === undefined) return undefined;
    tellMoment("job recorded", id);
    const lane = laneOf(record);
    const { state, attempts } = held.record.job;
    if (state === JobState.QUEUED && attempts === 0) core.background.run("job.publish_failed", () => core.wakeUps.publish(lane, id));
    if (request.durable) await core.flush();
    tellMoment("job accepted", id);
    core.meter.entered(record);
    core.log.debug("job.created", { job: id, request: record.requestId, lane });
    return held;
  } catch (error) {
    // Nobody learns of this job, and the caller removes its input. If it was written after all, it must not run.
    core.passwords.delete(id);
    core.background.run("job.forget_failed", () => forget(core, record));
    throw error;
  } finally {
    giveBack();
  }
}

async function recordFirst(core: Core, record: Record): Promise<Held | undefined> {
  const { id } = record.job;
  tellMoment("record due", id);
  if ((await core.records.create(record)) === "exists") return undefined;
  return core.projection.get(id) ?? (await core.records.find(id));
}

async function forget(core: Core, record: Record): Promise<void> {
  const known = core.projection.get(record.job.id);
  if (known !== undefined && isUnwritten(known)) core.projection.drop(record.job.id);
  const isOurs = (held: Held): boolean => held.record.job.input?.id === record.job.input?.id;
  const decide = (held: Held) => (isOurs(held) ? deleted(held.record, core.clock.now()) : undefined);
  const change = await core.records.change(record.job.id, decide, core.background.signal);
  // An attempt that began during the write may have ended by now. Its result is removed too.
  if (change.changed) await settle(core, change);
}

function recordOf(core: Core, request: CreateJobRequest, plan: Plan, id: string, idempotencyEntry: string): Record {
  const nowMs = core.clock.now();
  const retentionSeconds = request.planRetentionSeconds > 0 ? request.planRetentionSeconds : core.rules.retentionSeconds;
  const job = create(JobSchema, {
    id,
    accountId: request.accountId,
    state: JobState.QUEUED,
    from: plan.from,
    to: plan.to,
    fidelity: plan.fidelity,
    sourceName: request.sourceName,
    notes: request.notes,
    createdAt: timestampFromMs(nowMs),
    expiresAt: timestampFromMs(nowMs + retentionSeconds * 1000),
    async: plan.async,
    resultFormat: plan.resultFormat,
    ...(request.input === undefined ? {} : { input: request.input }),
    ...(request.deliverTo !== "" && { delivery: { state: ResultDelivery_State.PENDING } }),
  });
  const { requestId, budget, extent, deliverTo } = request;
  const record = create(JobRecordSchema, {
    ...{ job, plan, requestId, retentionSeconds, version: 1n, idempotencyEntry, traceParent: traceParent(), deliverTo },
    ...(budget !== undefined && { budget }),
    ...(extent !== undefined && { extent }),
  });
  if (!isRecord(record)) throw new TypeError("a record without a job");
  return record;
}
