/**
 * What each payer stores: the inputs of their unfinished jobs and the results of their done ones. Like the lanes it is derived from the
 * records, so it is the same after every restart. A blob that no record names counts for nobody, and the sweep removes it.
 */
export type Entry = { readonly payer: string; readonly isGuest: boolean; readonly isUnfinished: boolean; readonly bytes: number };

export type Ledger = {
  /** Replaces the job's previous entry. */
  put(jobId: string, entry: Entry): void;
  /** Counts bytes of a job that are about to be recorded, as far as they exceed what is recorded. Returns a function that ends this. */
  hold(jobId: string, payer: string, bytes: number): () => void;
  /** @param but - A job that does not count. */
  storedBytes(payer: string, but?: string): number;
  unfinishedCount(payer: string): number;
  /** Jobs that store something or are unfinished. */
  jobsOf(payer: string): readonly string[];
  /** Recorded bytes of all payers. */
  totals(): { readonly guest: number; readonly account: number };
};

type Account = { readonly entries: Map<string, Entry>; unfinished: number; bytes: number };

export function createLedger(): Ledger {
  const accounts = new Map<string, Account>();
  const holds = new Map<string, { readonly payer: string; bytes: number; holders: number }>();
  const totals = { guest: 0, account: 0 };

  function change(account: Account, entry: Entry | undefined, sign: 1 | -1): void {
    if (entry === undefined) return;
    account.bytes += sign * entry.bytes;
    account.unfinished += entry.isUnfinished ? sign : 0;
    totals[entry.isGuest ? "guest" : "account"] += sign * entry.bytes;
  }

  return {
    put(jobId, entry) {
      const account = accounts.get(entry.payer) ?? { entries: new Map<string, Entry>(), unfinished: 0, bytes: 0 };
      change(account, account.entries.get(jobId), -1);
      const matters = entry.isUnfinished || entry.bytes > 0;
      if (matters) account.entries.set(jobId, entry);
      else account.entries.delete(jobId);
      if (matters) change(account, entry, 1);
      if (account.entries.size > 0) accounts.set(entry.payer, account);
      else accounts.delete(entry.payer);
    },
    hold(jobId, payer, bytes) {
      // Requests with one idempotency key may be creating the same job.
      const held = holds.get(jobId) ?? { payer, bytes, holders: 0 };
      held.holders += 1;
      held.bytes = Math.max(held.bytes, bytes);
      holds.set(jobId, held);
      return () => {
        held.holders -= 1;
        if (held.holders === 0) holds.delete(jobId);
      };
    },
    storedBytes(payer, but) {
      const account = accounts.get(payer);
      let bytes = (account?.bytes ?? 0) - (but === undefined ? 0 : (account?.entries.get(but)?.bytes ?? 0));
      for (const [jobId, held] of holds) {
        if (held.payer !== payer || jobId === but) continue;
        bytes += Math.max(0, held.bytes - (account?.entries.get(jobId)?.bytes ?? 0));
      }
      return bytes;
    },
    unfinishedCount: (payer) => accounts.get(payer)?.unfinished ?? 0,
    jobsOf: (payer) => [...(accounts.get(payer)?.entries.keys() ?? [])],
    totals: () => totals,
  };
}
