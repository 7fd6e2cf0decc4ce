/** What this browser remembers: the listed jobs with their files, and the last target for each format. */
import { storedText, storeText } from "#client/parts/storage.ts";

export type Remembered = {
  readonly jobId: string;
  readonly name: string;
  readonly folder?: string;
  readonly sizeBytes: number;
};

const jobsKey = "filemill.jobs";
const targetsKey = "filemill.targets";
const usesKey = "filemill.uses";
const atMost = 2000;

export function rememberedJobs(): readonly Remembered[] {
  const list = kept(jobsKey);
  return Array.isArray(list) ? list.filter(isRemembered) : [];
}

export function remember(job: Remembered): void {
  keep(jobsKey, [job, ...rememberedJobs().filter(({ jobId }) => jobId !== job.jobId)].slice(0, atMost));
}

export function forget(jobId: string): void {
  keep(
    jobsKey,
    rememberedJobs().filter((job) => job.jobId !== jobId),
  );
}

export function lastTarget(from: string): string | undefined {
  const targets = kept(targetsKey);
  if (typeof targets !== "object" || targets === null) return undefined;
  const to: unknown = Object.entries(targets).find(([key]) => key === from)?.[1];
  return typeof to === "string" ? to : undefined;
}

export function rememberTarget(from: string, to: string): void {
  const targets = kept(targetsKey);
  keep(targetsKey, { ...(typeof targets === "object" ? targets : {}), [from]: to });
  const uses = usesByTarget();
  keep(usesKey, { ...uses, [to]: (uses[to] ?? 0) + 1 });
}

/** Targets that were chosen in this browser, most frequent first. */
export function usedTargets(): readonly string[] {
  const uses = usesByTarget();
  return Object.keys(uses).toSorted((a, b) => (uses[b] ?? 0) - (uses[a] ?? 0));
}

function usesByTarget(): Readonly<Record<string, number>> {
  const uses = kept(usesKey);
  if (typeof uses !== "object" || uses === null) return {};
  return Object.fromEntries(Object.entries(uses).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

function isRemembered(entry: unknown): entry is Remembered {
  return typeof entry === "object" && entry !== null && "jobId" in entry && "name" in entry && "sizeBytes" in entry;
}

/** Any value: other code on this origin may have written it. */
export function kept(key: string): unknown {
  try {
    return JSON.parse(storedText(key) ?? "null");
  } catch {
    return null;
  }
}

export function keep(key: string, value: unknown): void {
  storeText(key, JSON.stringify(value));
}
