import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Webhook as Signer } from "standardwebhooks";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import type { DeliveryRecord } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { EventType } from "#gen/filemill/webhook/v1/webhook_pb.ts";

/** Public event names. */
export const eventNames: Readonly<Partial<Record<EventType, string>>> = {
  [EventType.JOB_DONE]: "job.done",
  [EventType.JOB_FAILED]: "job.failed",
};

export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/**
 * The message of one attempt, signed anew: the id stays the same, the timestamp is that of the attempt.
 *
 * @param secrets - Each of them signs. A receiver needs to know only one.
 * @see Standard Webhooks 1.0, "Webhook headers" and "Symmetric signature"
 */
export function messageOf(
  { delivery, job }: DeliveryRecord,
  secrets: readonly string[],
  publicJob: (job: Job) => object,
  nowMs: number,
): Message {
  if (delivery === undefined || job === undefined) throw new TypeError("a delivery without its job");
  const endedAt = job.finishedAt === undefined ? new Date(nowMs) : timestampDate(job.finishedAt);
  const body = JSON.stringify({ type: eventNames[delivery.event], timestamp: endedAt.toISOString(), data: { job: publicJob(job) } });
  const sentAt = new Date(nowMs);
  const signatures = secrets.map((secret) => new Signer(secret).sign(delivery.id, sentAt, body));
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Filemill-Webhooks/1",
      "webhook-id": delivery.id,
      "webhook-timestamp": String(Math.floor(nowMs / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}
