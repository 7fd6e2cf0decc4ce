import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { toConnectError } from "#contract/errors.ts";
import { type GetLoadResponseSchema, type JobService, JobState, type LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import { checkInput, roomOf } from "./domain/budget.ts";
import { claimAttempt } from "./domain/claim-job.ts";
import { createJob } from "./domain/create-job.ts";
import { cancelJob, deleteJob, deleteJobs, findOwn } from "./domain/end-job.ts";
import { finishAttempt, heartbeat } from "./domain/lease-job.ts";
import { listJobs } from "./domain/listing.ts";
import type { Core } from "./domain/ports.ts";
import { purge } from "./domain/purge.ts";
import { claimDelivery, settleDelivery } from "./domain/result-delivery.ts";
import { createResultLink, listResultLinks, openResultLink, revokeResultLink } from "./domain/result-links.ts";
import { watchCancellations, watchJob } from "./domain/watch-job.ts";

/** @param core - Throws UNAVAILABLE before the start; `create` also while draining. */
export function jobServiceOf(core: (purpose?: "create") => Core, blobs: BlobStore): ServiceImpl<typeof JobService> {
  return {
    createJob: (request) => answer(() => createJob(core("create"), request)),
    getJob: ({ accountId, jobId }) => answer(async () => ({ job: core().view(await findOwn(core(), accountId, jobId)) })),
    listJobs: ({ accountId, state = JobState.UNSPECIFIED, limit, cursor }) =>
      answer(async () => listJobs(core().projection, core().view, { accountId, state, limit, cursor })),
    listAllJobs: ({ state = JobState.UNSPECIFIED, limit, cursor }) =>
      answer(async () => listJobs(core().projection, core().view, { state, limit, cursor })),
    cancelJob: ({ accountId, jobId }) => answer(async () => ({ job: await cancelJob(core(), accountId, jobId) })),
    deleteJob: ({ accountId, jobId }) =>
      answer(async () => {
        await deleteJob(core(), accountId, jobId);
        return {};
      }),
    deleteJobs: ({ accountId }) => answer(async () => ({ deleted: await deleteJobs(core(), accountId) })),
    purge: (request, context) => answer(() => purge(core(), blobs, request, context.signal)),
    createResultLink: (request) => answer(async () => ({ link: await createResultLink(core(), request) })),
    listResultLinks: (request) => answer(async () => ({ links: await listResultLinks(core(), request) })),
    revokeResultLink: (request) =>
      answer(async () => {
        await revokeResultLink(core(), request);
        return {};
      }),
    openResultLink: (request) => answer(() => openResultLink(core(), request)),
    claimDelivery: (request) =>
      answer(async () => {
        const claim = await claimDelivery(core(), request);
        return claim === undefined ? {} : { claim };
      }),
    settleDelivery: (request) =>
      answer(async () => {
        await settleDelivery(core(), request);
        return {};
      }),
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
    getLoad: ({ accountId }) => answer(async () => loadOf(core(), accountId)),
    checkBudget: ({ budget, inputBytes }) =>
      answer(async () => {
        checkInput(core(), budget?.id ?? "", budget, Number(inputBytes));
        const room = roomOf(core(), budget?.id ?? "", budget);
        return room === undefined ? {} : { roomBytes: BigInt(Math.floor(room)) };
      }),
    makeRoom: () => answer(async () => ({ freedBytes: BigInt(await core().makeRoom()) })),
  };
}

function loadOf({ projection, spending, clock, rules }: Core, accountId: string): MessageInitShape<typeof GetLoadResponseSchema> {
  const { ledger } = projection;
  const stored = ledger.totals();
  return {
    accountUnfinished: projection.unfinishedCount(accountId),
    totalUnfinished: projection.unfinishedCount(),
    maxUnfinished: rules.maxUnfinished,
    accountStoredBytes: BigInt(Math.round(ledger.storedBytes(accountId))),
    accountProcessorMs: BigInt(Math.round(spending.spentMs(accountId, clock.now()))),
    totalRunning: [...projection.unfinished()].filter(({ record }) => record.job.state === JobState.RUNNING).length,
    accountsStoredBytes: BigInt(Math.round(stored.account)),
    guestsStoredBytes: BigInt(Math.round(stored.guest)),
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
