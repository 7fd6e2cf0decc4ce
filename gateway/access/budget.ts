/** Who an upload counts for, and whether there is room for it while it comes. The job service keeps the count; here lies what is on its way to it. */
import { createHmac } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { FastifyRequest } from "fastify";
import { type FilemillError, fromConnectError } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { type Budget, BudgetSchema } from "#gen/filemill/job/v1/job_pb.ts";
import type { Caller } from "./authenticate.ts";

/**
 * An account is itself. Guests are the address they come from: a cookie is thrown away in a moment.
 *
 * @param key - Of this installation.
 */
export function budgetOf({ ip }: Pick<FastifyRequest, "ip">, { account, plan, isGuest }: Caller, key: string): Budget {
  const { maxStoredMb, maxResultMb, processorSecondsPerHour } = plan;
  const guest = isGuest === true;
  return create(BudgetSchema, {
    id: guest ? guestBudgetOf(clientOf(ip), key) : account.id,
    ...{ guest, maxStoredMb, maxResultMb, processorSecondsPerHour },
  });
}

/** Not the address itself, which nobody needs to read in a record; without a key, all there are could be tried. */
function guestBudgetOf(client: string, key: string): string {
  return `address_${createHmac("sha256", key).update(`address ${client}`).digest("hex").slice(0, 32)}`;
}

/** One upload on its way. Disposed when it is over, or the job service is about to count it. */
export type Passage = Disposable & {
  readonly budget: Budget;
  /** Counts bytes that came. Calls `refuse` once it turns out that they do not fit. */
  count(bytes: number, refuse: (error: FilemillError) => void): void;
};

export type Budgets = {
  /**
   * Rejects with QUOTA_EXCEEDED before one byte is read.
   *
   * @param isAgain - The request may be one of before, which takes no room: only what comes is bounded, and CreateJob decides.
   */
  enter(budget: Budget, inputBytes: number, isAgain: boolean): Promise<Passage>;
};

export function createBudgets({ jobs }: Pick<GatewayDeps, "jobs">): Budgets {
  /** Bytes of uploads that have begun, by budget. */
  const underWay = new Map<string, number>();
  const add = (id: string, bytes: number): void => {
    const sum = (underWay.get(id) ?? 0) + bytes;
    if (sum > 0) underWay.set(id, sum);
    else underWay.delete(id);
  };
  const askRoom = async (budget: Budget, bytes: number): Promise<number> => {
    const { roomBytes } = await jobs.checkBudget({ budget, inputBytes: BigInt(Math.max(0, bytes)) }).catch((error: unknown) => {
      throw fromConnectError(error);
    });
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
