import type { ServiceImpl } from "@connectrpc/connect";
import { toConnectError } from "#contract/errors.ts";
import { type JobService, JobState, type LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import { checkInput, roomOf } from "./domain/budget.ts";
import { claimAttempt } from "./domain/claim-job.ts";
import { createJob } from "./domain/create-job.ts";
import { cancelJob, deleteJob, deleteJobs, findOwn } from "./domain/end-job.ts";
import { finishAttempt, heartbeat } from "./domain/lease-job.ts";
import { listJobs } from "./domain/listing.ts";
import type { Core } from "./domain/ports.ts";
import { purge } from "./domain/purge.ts";
import { watchCancellations, watchJob } from "./domain/watch-job.ts";

/** @param core - Throws UNAVAILABLE before the start; `create` also while draining. */
export function jobServiceOf(core: (purpose?: "create") => Core, blobs: BlobStore): ServiceImpl<typeof JobService> {
  return {
    createJob: (request) => answer(() => createJob(core("create"), request)),
    getJob: ({ accountId, jobId }) => answer(async () => ({ job: core().view(await findOwn(core(), accountId, jobId)) })),
    listJobs: ({ accountId, state = JobState.UNSPECIFIED, limit, cursor }) =>
      answer(async () => listJobs(core().projection, core().view, { accountId, state, limit, cursor })),
    cancelJob: ({ accountId, jobId }) => answer(async () => ({ job: await cancelJob(core(), accountId, jobId) })),
    deleteJob: ({ accountId, jobId }) =>
      answer(async () => {
        await deleteJob(core(), accountId, jobId);
        return {};
      }),
    deleteJobs: ({ accountId }) => answer(async () => ({ deleted: await deleteJobs(core(), accountId) })),
    purge: (request, context) => answer(() => purge(core(), blobs, request, context.signal)),
    persistJob: ({ accountId, jobId }) =>
      answer(async () => {
        await findOwn(core(), accountId, jobId);
        await core().flush();
        return {};
      }),
    watchJob: ({ accountId, jobId }, context) =>
      stream(
        () => watchJob(core(), accountId, jobId, context.signal),
        (job) => ({ job }),
      ),
    getRouteTime: ({ from, to }) =>
      answer(async () => {
        const expectedMs = core().history.expectRouteMs(from, to);
        return expectedMs === undefined ? {} : { expectedMs: Math.max(1, Math.round(expectedMs)) };
      }),
    getLoad: ({ accountId }) =>
      answer(async () => ({
        accountUnfinished: core().projection.unfinishedCount(accountId),
        totalUnfinished: core().projection.unfinishedCount(),
        maxUnfinished: core().rules.maxUnfinished,
        accountStoredBytes: BigInt(Math.round(core().projection.ledger.storedBytes(accountId))),
        accountProcessorMs: BigInt(Math.round(core().spending.spentMs(accountId, core().clock.now()))),
      })),
    checkBudget: ({ budget, inputBytes }) =>
      answer(async () => {
        checkInput(core(), budget?.id ?? "", budget, Number(inputBytes));
        const room = roomOf(core(), budget?.id ?? "", budget);
        return room === undefined ? {} : { roomBytes: BigInt(Math.floor(room)) };
      }),
    makeRoom: () => answer(async () => ({ freedBytes: BigInt(await core().makeRoom()) })),
  };
}

export function leaseServiceOf(core: () => Core): ServiceImpl<typeof LeaseService> {
  return {
    claimAttempt: (request) => answer(() => claimAttempt(core(), request)),
    heartbeat: (request) => answer(async () => ({ cancelled: await heartbeat(core(), request) })),
    finishAttempt: (request, context) => answer(() => finishAttempt(core(), request, context.signal)),
    watchCancellations: ({ worker }, context) =>
      stream(
        () => watchCancellations(core(), worker, context.signal),
        (attempt) => attempt,
      ),
  };
}

async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toConnectError(error);
  }
}

async function* stream<T, R>(open: () => AsyncIterable<T>, toResponse: (item: T) => R): AsyncGenerator<R> {
  try {
    for await (const item of open()) yield toResponse(item);
  } catch (error) {
    throw toConnectError(error);
  }
}
