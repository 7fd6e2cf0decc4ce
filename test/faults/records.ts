/** Reads the broker's content directly. */
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type NatsConnection } from "nats";
import { type JobRecord, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { openLog } from "#kit/log.ts";
import { openBroker } from "#kit/nats/broker.ts";
import { jobRecordCodec } from "#kit/nats/job-record-codec.ts";
import type { Deployment } from "./deployment.ts";
import { addTo } from "./ledger.ts";

const lookMs = 200;
const connectMs = 10_000;

export type RecordWatch = AsyncDisposable & {
  /** Current records, without removed jobs. */
  readonly records: ReadonlyMap<string, JobRecord>;
  /** Results seen for each job. More than one means that it was published twice. */
  readonly results: ReadonlyMap<string, ReadonlySet<string>>;
  /** Jobs seen running again after they were done. */
  readonly undone: ReadonlySet<string>;
};

/** Follows all records across restarts of the broker, whose address may change. */
export async function watchRecords({ natsUrl, dataDir }: Pick<Deployment, "natsUrl" | "dataDir">): Promise<RecordWatch> {
  const seen = { records: new Map<string, JobRecord>(), results: new Map<string, Set<string>>(), undone: new Set<string>() };
  let url = await natsUrl();
  let open: AsyncDisposable | undefined = await follow(url, dataDir, seen);
  const stop = new AbortController();
  const moving = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(lookMs, undefined, { signal: stop.signal }).catch(() => undefined);
      const now = await natsUrl().catch(() => url);
      if ((now === url && open !== undefined) || stop.signal.aborted) continue;
      await open?.[Symbol.asyncDispose]();
      open = await follow(now, dataDir, seen, stop.signal).catch(() => undefined);
      url = now;
    }
  };
  const moved = moving();
  return {
    ...seen,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await moved;
      await open?.[Symbol.asyncDispose]();
    },
  };
}

type Seen = { readonly records: Map<string, JobRecord>; readonly results: Map<string, Set<string>>; readonly undone: Set<string> };

async function follow(natsUrl: string, dataDir: string, seen: Seen, signal?: AbortSignal): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const limit = AbortSignal.any([AbortSignal.timeout(connectMs), ...(signal === undefined ? [] : [signal])]);
  const broker = stack.use(await openBroker({ dataDir, cluster: { url: natsUrl }, log: openLog("silent"), signal: limit }));
  const bucket = await broker.bucket("jobs", jobRecordCodec);
  const present = new Set<string>();
  const watch = await bucket.watch((jobId, entry) => {
    if (entry === undefined) {
      seen.records.delete(jobId);
      return;
    }
    present.add(jobId);
    see(seen, jobId, entry.value);
  });
  stack.use(watch);
  for (const jobId of seen.records.keys()) if (!present.has(jobId)) seen.records.delete(jobId);
  const owned = stack.move();
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function see({ records, results, undone }: Seen, jobId: string, record: JobRecord): void {
  records.set(jobId, record);
  const { job } = record;
  if (job?.state === JobState.DONE) addTo(results, jobId, job.result?.id ?? "");
  else if (results.has(jobId) && job !== undefined && isOpen(job.state)) undone.add(jobId);
}

export function isOpen(state: JobState): boolean {
  return state === JobState.QUEUED || state === JobState.RUNNING;
}

/** Job ids in the stream of wake-ups. */
export async function wakeUpsIn(natsUrl: string): Promise<string[]> {
  const nc = await openConnection(natsUrl);
  try {
    const jsm = await nc.jetstreamManager();
    const info = await jsm.streams.info("JOBS", { subjects_filter: ">" });
    return Object.keys(info.state.subjects ?? {}).map((subject) => subject.split(".").at(-1) ?? "");
  } finally {
    await nc.close();
  }
}

function openConnection(natsUrl: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(natsUrl);
  return connect({ servers: host, user: username, pass: password });
}
