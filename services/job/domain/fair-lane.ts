/**
 * The jobs of one lane, and which is next (decision 9). "Account" means payer here, so guests with the same address count as one. The
 * account with the fewest running jobs comes first. Among equals, accounts come before guests, because there may be as many guests as there
 * are addresses; then the account that was served longest ago. Within an account, the oldest job comes first.
 */
import { createSortedIds, type SortedIds } from "./sorted-ids.ts";

export type Place = "queued" | "running" | "gone";

/** What the lane itself does not know about its jobs. */
export type Readiness = {
  /** Whether this queued job may start now. */
  isDue(jobId: string): boolean;
  /** Whether this running job has lost its worker. */
  isLapsed(jobId: string): boolean;
  /** How many attempts of the account are starting right now. */
  beginning(accountId: string): number;
};

export type Turn = {
  readonly jobId: string;
  /** Its account has nothing running in this lane. */
  readonly isIdleAccount: boolean;
};

export type FairLane = {
  put(jobId: string, accountId: string, place: Place, isGuest?: boolean): void;
  /** @param turn - Grows with each service and is the same number in every process. */
  served(accountId: string, turn: number): void;
  /** The job to start now. A job that lost its worker comes before the others of its account. */
  next(readiness: Readiness): Turn | undefined;
  /** Counts from 1: when this queued job would be picked if no job ended and none arrived. */
  position(jobId: string, accountId: string): number;
  runningOf(accountId: string): number;
  queued(): Iterable<string>;
  running(): Iterable<string>;
  readonly queuedCount: number;
  readonly runningCount: number;
};

type TurnOf = (accountId: string) => number;
type Line = { readonly queued: SortedIds; readonly running: Set<string>; readonly isGuest: boolean };
type Standing = { readonly running: number; readonly isGuest: boolean; readonly turn: number; readonly jobId: string };

/** How many accounts' last turns are remembered. Otherwise an account that briefly has no jobs would return as a newcomer each time. */
const maxTurns = 10_000;

export function createFairLane(): FairLane {
  const lines = new Map<string, Line>();
  const turns = new Map<string, number>();
  let queuedCount = 0;
  let runningCount = 0;
  const turnOf: TurnOf = (accountId) => turns.get(accountId) ?? 0;

  return {
    put(jobId, accountId, place, isGuest = false) {
      const line = lines.get(accountId) ?? { queued: createSortedIds(), running: new Set<string>(), isGuest };
      queuedCount -= line.queued.ids.length;
      runningCount -= line.running.size;
      if (place === "queued") line.queued.add(jobId);
      else line.queued.remove(jobId);
      if (place === "running") line.running.add(jobId);
      else line.running.delete(jobId);
      queuedCount += line.queued.ids.length;
      runningCount += line.running.size;
      if (line.queued.ids.length + line.running.size > 0) lines.set(accountId, line);
      else lines.delete(accountId);
    },
    served(accountId, turn) {
      const latest = Math.max(turn, turnOf(accountId));
      turns.delete(accountId);
      turns.set(accountId, latest);
      const [longestAgo] = turns.keys();
      if (turns.size > maxTurns && longestAgo !== undefined) turns.delete(longestAgo);
    },
    next: (readiness) => nextOf(lines, turnOf, readiness),
    position: (jobId, accountId) => positionIn(lines, turnOf, jobId, accountId),
    runningOf: (accountId) => lines.get(accountId)?.running.size ?? 0,
    *queued() {
      for (const { queued } of lines.values()) yield* queued.ids;
    },
    *running() {
      for (const { running } of lines.values()) yield* running;
    },
    get queuedCount() {
      return queuedCount;
    },
    get runningCount() {
      return runningCount;
    },
  };
}

function nextOf(lines: ReadonlyMap<string, Line>, turnOf: TurnOf, readiness: Readiness): Turn | undefined {
  let first: Standing | undefined;
  for (const [accountId, { queued, running, isGuest }] of lines) {
    const lapsed = [...running].filter(readiness.isLapsed);
    const jobId = lapsed.find(readiness.isDue) ?? queued.ids.find(readiness.isDue);
    if (jobId === undefined) continue;
    const busy = running.size - lapsed.length + readiness.beginning(accountId);
    const standing = { running: busy, isGuest, turn: turnOf(accountId), jobId };
    if (first === undefined || isBefore(standing, first)) first = standing;
  }
  return first === undefined ? undefined : { jobId: first.jobId, isIdleAccount: first.running === 0 };
}

function positionIn(lines: ReadonlyMap<string, Line>, turnOf: TurnOf, jobId: string, accountId: string): number {
  const mine = lines.get(accountId);
  if (mine === undefined) return 1;
  const standingOf = (id: string, { queued, running, isGuest }: Line): Standing => ({
    running: running.size,
    isGuest,
    turn: turnOf(id),
    jobId: queued.ids[0] ?? "",
  });
  const own = standingOf(accountId, mine);
  const ahead = mine.queued.rank(jobId);
  // How many jobs of this account run when this one is picked. In that round, every account reaches this number.
  const round = own.running + ahead;
  let position = 1 + ahead;
  for (const [id, line] of lines) {
    const before = round - line.running.size;
    if (id === accountId || before < 0) continue;
    const count = line.queued.ids.length;
    const joinsFirst = before < count && goesFirst(standingOf(id, line), own);
    position += Math.min(before, count) + (joinsFirst ? 1 : 0);
  }
  return position;
}

function isBefore(a: Standing, b: Standing): boolean {
  if (a.running !== b.running) return a.running < b.running;
  if (a.isGuest !== b.isGuest) return b.isGuest;
  return a.turn === b.turn ? a.jobId < b.jobId : a.turn < b.turn;
}

/** For two accounts in the same round: the one that joins in a later round was served longer ago by then. */
function goesFirst(a: Standing, b: Standing): boolean {
  if (a.isGuest !== b.isGuest) return b.isGuest;
  return a.running === b.running ? isBefore(a, b) : a.running > b.running;
}
