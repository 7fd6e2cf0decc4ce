import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { type CreateJobRequest, type Job, JobRecordSchema, JobSchema, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import { tellMoment } from "#kit/moments.ts";
import { traceParent } from "#kit/tracing.ts";
import { checkCeiling } from "./admission.ts";
import { type OpenArrival, openArrival } from "./arrival.ts";
import { checkInput } from "./budget.ts";
import { isIdle } from "./claim-job.ts";
import { settle } from "./end-job.ts";
import { digestOf, entryKeyOf, precedentOf } from "./idempotency.ts";
import { isJobId } from "./job-id.ts";
import { payerOf } from "./payer.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { deleted, isRecord, laneOf, type Record } from "./state.ts";

export type Created = { readonly job: Job; readonly replayed: boolean };

/** Enough for every request that can lose a race against its own duplicates; more means something is wrong. */
const maxRounds = 8;

/**
 * Plans, checks, records and queues a job: one write and one message, of which only the write is waited for.
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
 * Who sends a password for the result wants it protected: recorded with the job, so that it gives no unprotected file when the password
 * is gone. A conversion that cannot protect refuses the option.
 */
function protecting(request: CreateJobRequest): CreateJobRequest {
  if (request.outputPassword === "") return request;
  const { protect = "true" } = request.options;
  if (protect === "false" || protect === "0") {
    throw new FilemillError("INVALID_OPTION", "X-Output-Password protects the result; leave out protect=false.", {
      details: { option: "protect", allowed: ["true"] },
    });
  }
  return { ...request, options: { ...request.options, protect } };
}

async function createOnce(core: Core, request: CreateJobRequest, planning: Promise<Plan>): Promise<Created> {
  // A replay is answered even where the route is gone by now.
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
        throw new FilemillError("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another request; choose a new one.");
      case "free": {
        const plan = await planning;
        const jobId = core.nextId(nowMs);
        if (!(await core.keys.put(key, { jobId, requestDigest, createdAtMs: nowMs }, entry))) break;
        const held = await admitted(core, request, recordOf(core, request, plan, jobId, key));
        if (held !== undefined) return { job: core.view(held), replayed: false };
        break;
      }
      case "begun": {
        // Its creator may be under way or gone. Both create the same id, so that one of them makes the job.
        const held = await admitted(core, request, recordOf(core, request, await planning, precedent.jobId, key));
        if (held !== undefined) return { job: core.view(held), replayed: false };
        break;
      }
    }
  }
  throw new FilemillError("UNAVAILABLE", "The request could not be told from its duplicates; try again.", { retryAfterMs: 2000 });
}

/**
 * Writes the record and wakes a worker, both at once: a worker that hears of the job before its record is there waits for it
 * or, in this process, begins beside the write (see claimAttempt). Undefined when a duplicate was faster.
 */
async function admitted(core: Core, request: CreateJobRequest, record: Record): Promise<Held | undefined> {
  const { id } = record.job;
  const [payer, inputBytes] = [payerOf(record), Number(record.job.input?.sizeBytes ?? 0n)];
  checkInput(core, payer, record.budget, inputBytes, id);
  const giveBack = core.admission.take({ id, payer, inputBytes }, request.planMaxUnfinishedJobs);
  const arrival = openArrival(record);
  core.arrivals.set(id, arrival);
  const { inputPassword: input, outputPassword: output } = request;
  if (input !== "" || output !== "") core.passwords.set(id, { input, output });
  try {
    const begun = await handedOver(core, request, arrival);
    // Whoever comes to the job finds its input.
    core.blobs.keep(record.job.input?.id ?? "");
    tellMoment("record due", id);
    const writing = core.records.create(begun ?? record).finally(arrival.settle);
    const [outcome] = await Promise.all([writing, begun && arrival.ended(core.rules.soonMs)]);
    if (outcome === "exists") return undefined;
    tellMoment("job recorded", id);
    // As it is now: a flush takes longer than many a conversion, and who asked for a place in the queue is told of it.
    const held = core.projection.get(id) ?? (await core.records.find(id));
    if (request.durable) await core.flush();
    tellMoment("job accepted", id);
    core.meter.entered(record);
    if (begun !== undefined) {
      core.meter.entered(begun);
      core.meter.waited(begun, 0);
    }
    core.log.debug("job.created", { job: id, request: record.requestId, lane: laneOf(record) });
    return held;
  } catch (error) {
    // Nobody learns of this job and the caller removes its input: if it was written after all, it must not run.
    core.passwords.delete(id);
    core.background.run("job.forget_failed", () => forget(core, record));
    throw error;
  } finally {
    if (core.arrivals.get(id) === arrival) core.arrivals.delete(id);
    arrival.close();
    giveBack();
  }
}

/**
 * The record with its first attempt, if a worker of this process began that. Where other requests may make the same job, and where
 * a place in the queue was asked for, the job is queued first.
 */
async function handedOver(core: Core, request: CreateJobRequest, arrival: OpenArrival): Promise<Record | undefined> {
  const { record } = arrival;
  const lane = laneOf(record);
  const isOnlyMine = request.idempotencyKey === "" && !request.durable;
  const isNewcomer = isIdle(core, lane, payerOf(record));
  if (isOnlyMine && core.wakeUps.handOver(lane, record.job.id, { isNewcomer })) return arrival.begun();
  // Its record is written as it is: an attempt that a worker began beside that would be nobody's.
  arrival.shut();
  core.background.run("job.publish_failed", () => core.wakeUps.publish(lane, record.job.id));
  return undefined;
}

async function forget(core: Core, record: Record): Promise<void> {
  const isOurs = (held: Held): boolean => held.record.job.input?.id === record.job.input?.id;
  const decide = (held: Held) => (isOurs(held) ? deleted(held.record, core.clock.now()) : undefined);
  const change = await core.records.change(record.job.id, decide, core.background.signal);
  // An attempt that began beside the write may have ended by now: its result goes too.
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
  });
  const { requestId, budget } = request;
  const record = create(JobRecordSchema, {
    ...{ job, plan, requestId, retentionSeconds, version: 1n, idempotencyEntry, traceParent: traceParent() },
    ...(budget === undefined ? {} : { budget }),
  });
  if (!isRecord(record)) throw new TypeError("a record without a job");
  return record;
}
