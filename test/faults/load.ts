/** Several clients working in parallel until stopped. */

import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { createDice, type Dice } from "#test/fuzz/mutate.ts";
import { type Asking, remove, submit } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { Accepted, Customer, Ledger } from "./ledger.ts";
import type { Menu } from "./orders.ts";

const maxRequests = 4000;
/** An answer still missing this long after the faults is a defect in itself. */
const afterwardsMs = 60_000;

export type Load = {
  /** Stops new requests; resolves when pending ones are answered, for at most a minute. */
  stop(): Promise<void>;
  /** For a service that is gone for good: does not wait for it. */
  abandon(): Promise<void>;
};

export type LoadParts = {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly customers: readonly [Customer, ...Customer[]];
  readonly menu: Menu;
  readonly seed: number;
  readonly clients: number;
};

export function startLoad(parts: LoadParts): Load {
  const stopping = new AbortController();
  const givingUp = new AbortController();
  const clients = Array.from({ length: parts.clients }, async (_, index) => {
    const dice = createDice(parts.seed * 1000 + index + 1);
    while (!stopping.signal.aborted && parts.ledger.requests < maxRequests) {
      await visit(parts, dice, `${parts.seed}-${index}`, givingUp.signal);
      await sleep(dice.below(60));
    }
  });
  return {
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => {
        parts.ledger.defects.push(`a client was still not answered ${afterwardsMs / 1000} s after the last fault`);
        givingUp.abort();
      }, afterwardsMs);
      await Promise.all(clients);
      clearTimeout(timer);
    },
    async abandon() {
      stopping.abort();
      givingUp.abort();
      await Promise.all(clients);
    },
  };
}

async function visit({ deployment, ledger, customers, menu }: LoadParts, dice: Dice, name: string, signal: AbortSignal): Promise<void> {
  const idempotencyKey = dice.below(2) === 0 ? `${name}-${ledger.requests}-${dice.below(1_000_000)}` : undefined;
  const asking: Asking = {
    order: menu(dice),
    customer: dice.pick([...customers] as [Customer]),
    inline: dice.below(3) > 0,
    idempotencyKey,
  };
  const isTwice = idempotencyKey !== undefined && dice.below(4) === 0;
  const [accepted] = await Promise.all([
    submit(deployment.url, ledger, asking, signal),
    isTwice ? submit(deployment.url, ledger, asking, signal) : undefined,
  ]);
  // With the job removed, the next request with the same key would create a new one.
  if (accepted === undefined) return;
  const fate = dice.below(10);
  await sleep(dice.below(2) * dice.below(400));
  if (fate === 0) await remove(deployment.url, ledger, accepted, signal);
  if (fate === 1) await cancel(deployment, accepted);
}

/** The answer may be lost: it is then unknown whether the job was cancelled. */
async function cancel(deployment: Deployment, accepted: Accepted): Promise<void> {
  accepted.isUnwanted = true;
  const jobs = createClient(JobService, remoteTransport(deployment.jobs, deployment.token));
  const { accountId } = accepted.customer;
  await jobs.cancelJob({ accountId, jobId: accepted.jobId }, { timeoutMs: 5000 }).catch(() => undefined);
}
