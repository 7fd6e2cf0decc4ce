/** Moments in the life of a job, told on the diagnostics channel `filemill.job`: for who traces, and for tests that end a process in one. */
import { channel } from "node:diagnostics_channel";

/** In the order of a job that goes well, then the ways aside. */
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

export type Told = { readonly moment: Moment /** Of the job, where there is one by then. */; readonly jobId: string };

const moments = channel("filemill.job");

/** Calls who listens before it returns; nobody does usually. */
export function tellMoment(moment: Moment, jobId = ""): void {
  if (moments.hasSubscribers) moments.publish({ moment, jobId } satisfies Told);
}
