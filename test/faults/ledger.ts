/** What clients were told, and what came to receivers: the other side of the records. */
import type { IncomingHttpHeaders } from "node:http";

export type Customer = { readonly accountId: string; readonly key: string };

export type Accepted = {
  readonly jobId: string;
  readonly customer: Customer;
  /** Whether a result can be made of the file. */
  readonly isGood: boolean;
  readonly to: string;
  /** Answered 200 with its result, or 202 with a promise. */
  readonly told: "done" | "promised";
  /** Whether its removal or its end was asked for, so that it may be gone or cancelled. */
  isUnwanted: boolean;
};

export type Ledger = {
  readonly accepted: Map<string, Accepted>;
  /** Job ids by Idempotency-Key: one each. */
  readonly idsByKey: Map<string, Set<string>>;
  /** Answers that asked to come again, by code. */
  readonly refused: Map<string, number>;
  /** What must not be: each is a defect. */
  readonly defects: string[];
  /** Webhook messages: their ids by job. */
  readonly messages: Map<string, Set<string>>;
  /** Whether there is a webhook that hears of every end. */
  readonly hasReceiver: boolean;
  /** Names of the folders that workers had, which their sandboxes bear as well. */
  readonly owners: Set<string>;
  /** When the broker was hit: who starts in that moment may end for it. */
  readonly brokerHits: number[];
  /** Sent requests, repetitions not counted. */
  requests: number;
};

export function openLedger(hasReceiver: boolean): Ledger {
  return {
    hasReceiver,
    owners: new Set(),
    brokerHits: [],
    accepted: new Map(),
    idsByKey: new Map(),
    refused: new Map(),
    defects: [],
    messages: new Map(),
    requests: 0,
  };
}

export function count(map: Map<string, number>, name: string): void {
  map.set(name, (map.get(name) ?? 0) + 1);
}

export function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  map.set(key, (map.get(key) ?? new Set<V>()).add(value));
}

/** A message of a webhook. */
export function noteMessage(ledger: Ledger, headers: IncomingHttpHeaders, body: string): void {
  const { data } = JSON.parse(body);
  addTo(ledger.messages, String(data.job.id), String(headers["webhook-id"]));
}
