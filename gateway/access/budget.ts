/**
 * Decides who pays for an upload, and whether it fits while it arrives. The job service keeps the totals; this file tracks uploads in
 * progress.
 */
import { createHmac } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { FastifyRequest } from "fastify";
import { type FilemillError, throwKnown } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { type Budget, BudgetSchema } from "#gen/filemill/job/v1/job_pb.ts";
import type { Caller } from "./authenticate.ts";

/**
 * An account is its own payer. Guests are counted by address, because a cookie is easily discarded.
 *
 * @param key - Secret of this installation.
 */
export function budgetOf({ ip }: Pick<FastifyRequest, "ip">, { account, plan, isGuest }: Caller, key: string): Budget {
  const { maxStoredMb, maxResultMb, processorSecondsPerHour } = plan;
  const guest = isGuest === true;
  return create(BudgetSchema, {
    id: guest ? guestBudgetOf(clientOf(ip), key) : account.id,
    ...{ guest, maxStoredMb, maxResultMb, processorSecondsPerHour },
  });
}

/** Keyed hash of the address, so that records do not reveal it. Without the key, every possible address could be tried. */
function guestBudgetOf(client: string, key: string): string {
  return `address_${createHmac("sha256", key).update(`address ${client}`).digest("hex").slice(0, 32)}`;
}

/** One upload in progress. Dispose it when the upload has ended, or right before the job service counts it. */
export type Passage = Disposable & {
  readonly budget: Budget;
  /** Counts received bytes. Calls `refuse` once they turn out not to fit. */
  count(bytes: number, refuse: (error: FilemillError) => void): void;
};

export type Budgets = {
  /**
   * Rejects with QUOTA_EXCEEDED before one byte is read.
   *
   * @param isAgain - The request may repeat an earlier one, which takes no room. Only the received bytes are limited then, and CreateJob
   * decides.
   */
  enter(budget: Budget, inputBytes: number, isAgain: boolean): Promise<Passage>;
};

export function createBudgets({ jobs }: Pick<GatewayDeps, "jobs">): Budgets {
  /** Bytes of unfinished uploads, by budget. */
  const underWay = new Map<string, number>();
  const add = (id: string, bytes: number): void => {
    const sum = (underWay.get(id) ?? 0) + bytes;
    if (sum > 0) underWay.set(id, sum);
    else underWay.delete(id);
  };
  const askRoom = async (budget: Budget, bytes: number): Promise<number> => {
    const { roomBytes } = await jobs.checkBudget({ budget, inputBytes: BigInt(Math.max(0, bytes)) }).catch(throwKnown);
    return roomBytes === undefined ? Number.POSITIVE_INFINITY : Number(roomBytes);
  };

  return {
    async enter(budget, inputBytes, isAgain) {
      const { id, maxStoredMb } = budget;
      const whole = maxStoredMb === 0 ? Number.POSITIVE_INFINITY : maxStoredMb * 1e6;
      let room = isAgain ? whole : await askRoom(budget, inputBytes + (underWay.get(id) ?? 0));
      let counted = 0;
      let isAsking = false;
      return {
        budget,
        count(bytes, refuse) {
          counted += bytes;
          add(id, bytes);
          const all = underWay.get(id) ?? 0;
          if (all <= room || isAsking) return;
          isAsking = true;
          askRoom(budget, all)
            .then((now) => {
              room = now;
            }, refuse)
            .finally(() => {
              isAsking = false;
            });
        },
        [Symbol.dispose]() {
          add(id, -counted);
          counted = 0;
        },
      };
    },
  };
}
