/** A well-behaved client: it retries when told to, or when its connection breaks. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Accepted, addTo, type Customer, count, type Ledger } from "./ledger.ts";
import type { Order } from "./orders.ts";

const answerMs = 30_000;
const pauseMs = 250;

export type Asking = {
  readonly order: Order;
  readonly customer: Customer;
  readonly inline: boolean;
  readonly idempotencyKey: string | undefined;
};

type Answer = { readonly status: number; readonly body: { job?: { id: string; status: string }; error?: { code: string } } };

/** Error codes that are acceptable for a file that cannot be converted. */
const refusals: ReadonlySet<string> = new Set(["INVALID_INPUT", "UNKNOWN_SOURCE_FORMAT", "CONVERSION_FAILED"]);

/** Undefined if no complete answer arrived. */
export async function ask(url: string, key: string, init: RequestInit): Promise<Answer | undefined> {
  try {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(answerMs) });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Resolves when jobs are listed again, for which the gateway needs the job service. */
export async function untilServed(url: string, key: string, limitMs = 120_000): Promise<void> {
  for (const until = performance.now() + limitMs; performance.now() < until; await sleep(50)) {
    if ((await ask(`${url}/api/v1/jobs`, key, {}))?.status === 200) return;
  }
  throw new Error(`jobs were not told of after ${limitMs / 1000} s`);
}

/** Retries until there is an answer, or until `signal`. Undefined if none arrived or the file was refused. */
export async function submit(url: string, ledger: Ledger, asking: Asking, signal: AbortSignal): Promise<Accepted | undefined> {
  ledger.requests += 1;
  const { order, customer, inline, idempotencyKey } = asking;
  while (!signal.aborted) {
    const form = new FormData();
    form.append("to", order.to);
    form.append("file", new File([order.file], order.name));
    const headers = {
      ...(inline ? {} : { prefer: "respond-async" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    const answer = await ask(`${url}/api/v1/convert`, customer.key, { method: "POST", headers, body: form });
    const verdict = answer && judge(ledger, asking, answer);
    if (verdict !== undefined) return verdict === "over" ? undefined : verdict;
    if (answer === undefined) count(ledger.refused, "no answer");
    await sleep(pauseMs);
  }
  return undefined;
}

/** Undefined if the request must be repeated. */
function judge(ledger: Ledger, { order, customer, idempotencyKey }: Asking, { status, body }: Answer): Accepted | "over" | undefined {
  const code = body.error?.code ?? "";
  const { job } = body;
  if ((status === 200 || status === 202) && job !== undefined) {
    if (idempotencyKey !== undefined) addTo(ledger.idsByKey, idempotencyKey, job.id);
    const known = ledger.accepted.get(job.id);
    if (known !== undefined) return known;
    const told = status === 200 ? "done" : "promised";
    const accepted: Accepted = { jobId: job.id, customer, isGood: order.isGood, to: order.to, told, isUnwanted: false };
    ledger.accepted.set(job.id, accepted);
    return accepted;
  }
  if (status === 503 || status === 429 || status === 507) {
    count(ledger.refused, code);
    return undefined;
  }
  if (!order.isGood && refusals.has(code)) return "over";
  ledger.defects.push(`a ${order.isGood ? "good" : "damaged"} ${order.name} to ${order.to} was answered ${status} ${code}`);
  return "over";
}

/** Removes a job, retrying until it is reported gone. */
export async function remove(url: string, ledger: Ledger, accepted: Accepted, signal: AbortSignal): Promise<void> {
  accepted.isUnwanted = true;
  while (!signal.aborted) {
    const answer = await ask(`${url}/api/v1/jobs/${accepted.jobId}`, accepted.customer.key, { method: "DELETE" });
    if (answer?.status === 204 || answer?.status === 404) return;
    if (answer !== undefined && answer.status !== 503) {
      ledger.defects.push(`a removal was answered ${answer.status} ${answer.body.error?.code ?? ""}`);
      return;
    }
    await sleep(pauseMs);
  }
}
