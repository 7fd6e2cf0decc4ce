/** What clients were told and receivers got, to compare with the records. */
import type { IncomingHttpHeaders } from "node:http";

export type Customer = { readonly accountId: string; readonly key: string };

export type Accepted = {
  readonly jobId: string;
  readonly customer: Customer;
  /** Whether the file can be converted. */
  readonly isGood: boolean;
  readonly to: string;
  /** Answered 200 with its result, or 202 with a promise. */
  readonly told: "done" | "promised";
  /** Whether its removal or cancellation was requested, so that it may be gone or cancelled. */
  isUnwanted: boolean;
};

export type Ledger = {
  readonly accepted: Map<string, Accepted>;
  /** Job ids by Idempotency-Key: one each. */
  readonly idsByKey: Map<string, Set<string>>;
  /** Answers that asked to retry, by code. */
  readonly refused: Map<string, number>;
  /** Observations that must not occur. */
  readonly defects: string[];
  /** Ids of webhook messages by job. */
  readonly messages: Map<string, Set<string>>;
  /** Whether a webhook is notified of every end. */
  readonly hasReceiver: boolean;
  /** Names of worker folders, which also appear in their sandboxes. */
  readonly owners: Set<string>;
  /** When the broker was hit: services that start at that moment may exit because of it. */
  readonly brokerHits: number[];
  /** Requests sent, not counting repetitions. */
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

/** Records a webhook message. */
export function noteMessage(ledger: Ledger, headers: IncomingHttpHeaders, body: string): void {
  const { data } = JSON.parse(body);
  addTo(ledger.messages, String(data.job.id), String(headers["webhook-id"]));
}
