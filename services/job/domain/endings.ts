import { isUnfinished, type Record } from "./state.ts";

/**
 * Ends of attempts that are being written and were told to who waits for the job already (decision 30). Whoever looks at such a job in this
 * process sees the same; decisions are made by the record alone.
 */
export type Endings = {
  /** The job ends so, as far as this process knows, until `work` has settled. */
  announce<T>(ended: Record, work: () => Promise<T>): Promise<T>;
  /** What is to be shown in place of this record. */
  shownFor(record: Record): Record;
  /** Resolves when nothing of the job is being written any more. */
  settled(jobId: string): Promise<void>;
};

export function createEndings(): Endings {
  const endings = new Map<string, { readonly ended: Record; readonly written: Promise<unknown> }>();
  return {
    async announce(ended, work) {
      const { id } = ended.job;
      const written = work();
      const ending = { ended, written };
      endings.set(id, ending);
      try {
        return await written;
      } finally {
        if (endings.get(id) === ending) endings.delete(id);
      }
    },
    shownFor(record) {
      const ended = endings.get(record.job.id)?.ended;
      return ended !== undefined && isUnfinished(record) && !record.deleted ? ended : record;
    },
    async settled(jobId) {
      await endings.get(jobId)?.written.catch(() => undefined);
    },
  };
}
