/** Steps of a job, published on the diagnostics channel `filemill.job` for tracing, and for tests that kill a process at a step. */
import { channel } from "node:diagnostics_channel";

/** In the order of a successful job, followed by the exceptions. */
export type Moment =
  | "upload stored"
  | "record due"
  | "job recorded"
  | "job accepted"
  | "answer due"
  | "worker woken"
  | "attempt begun"
  | "result stored"
  | "end recorded"
  | "end told"
  | "job settling"
  | "job taken back";

export type Told = { readonly moment: Moment /** Of the job, if there is one by then. */; readonly jobId: string };

const moments = channel("filemill.job");

/** Calls all listeners before it returns. Usually there are none. */
export function tellMoment(moment: Moment, jobId = ""): void {
  if (moments.hasSubscribers) moments.publish({ moment, jobId } satisfies Told);
}
