/** What a payer may store and use (decision 37). */

import type { FilemillError } from "#contract/errors.ts";
import { processorQuotaError, resultQuotaError, storedQuotaError } from "#contract/quota.ts";
import type { Budget } from "#gen/filemill/job/v1/job_pb.ts";
import { payerOf } from "./payer.ts";
import type { Core, Quota } from "./ports.ts";
import { expiresAtMsOf } from "./retention.ts";
import type { Record } from "./state.ts";

const bytesPerMb = 1e6;

/** How much more the payer may store; undefined if unlimited. @param but - A job whose bytes do not count. */
export function roomOf({ projection: { ledger } }: Core, payer: string, budget: Budget | undefined, but?: string): number | undefined {
  if (budget === undefined || budget.maxStoredMb === 0) return undefined;
  return Math.max(0, budget.maxStoredMb * bytesPerMb - ledger.storedBytes(payer, but));
}

/** Throws QUOTA_EXCEEDED if the input does not fit into the payer's storage, or if the CPU time of the last hour is used up. */
export function checkInput(core: Core, payer: string, budget: Budget | undefined, inputBytes: number, but?: string): void {
  if (budget === undefined) return;
  const nowMs = core.clock.now();
  const limitMs = budget.processorSecondsPerHour * 1000;
  const spentMs = core.spending.spentMs(payer, nowMs);
  if (limitMs > 0 && spentMs >= limitMs) {
    const waitMs = core.spending.untilBelowMs(payer, limitMs, nowMs);
    throw refused(core, budget, "processor", processorQuotaError(budget.processorSecondsPerHour, spentMs, waitMs));
  }
  const room = roomOf(core, payer, budget, but);
  // Without any room even the smallest input is too much, because its result would not fit.
  if (room !== undefined && (room === 0 || inputBytes > room)) throw refused(core, budget, "stored", storedError(core, payer, budget, but));
}

/** Why a result cannot be stored; undefined if it can. */
export function resultRefusal(core: Core, record: Record, resultBytes: number): FilemillError | undefined {
  const { budget, job } = record;
  if (budget === undefined) return undefined;
  const { maxResultMb } = budget;
  if (maxResultMb > 0 && resultBytes > maxResultMb * bytesPerMb) return refused(core, budget, "result", resultQuotaError(maxResultMb));
  const room = roomOf(core, payerOf(record), budget, job.id);
  if (room === undefined || resultBytes <= room) return undefined;
  return refused(core, budget, "stored", storedError(core, payerOf(record), budget, job.id));
}

function storedError({ projection }: Core, payer: string, { maxStoredMb }: Budget, but: string | undefined): FilemillError {
  const expiries = projection.ledger.jobsOf(payer).flatMap((id) => {
    const held = projection.get(id);
    return held === undefined || id === but ? [] : [expiresAtMsOf(held.record)];
  });
  const first = expiries.length === 0 ? undefined : Math.min(...expiries);
  return storedQuotaError(maxStoredMb, projection.ledger.storedBytes(payer, but), Number.isFinite(first) ? first : undefined);
}

function refused({ meter }: Core, { guest }: Budget, quota: Quota, error: FilemillError): FilemillError {
  meter.refused(guest, quota);
  return error;
}
