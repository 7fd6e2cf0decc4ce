/** Consumers of this process that can be woken without a message (decision 68). */
export type LocalWakes = {
  /** Returns a function that removes the consumer. */
  join(subject: string, take: Take): () => void;
  /** Makes one consumer check the subject, at once or when a slot is free. False if no consumer is in this process. */
  wake(subject: string, isNewcomer: boolean): boolean;
  /** A slot became free. */
  freed(subject: string): void;
};

/** False: no free slot. */
type Take = (isNewcomer: boolean) => boolean;

export function createLocalWakes(): LocalWakes {
  const subjects = new Map<string, { readonly consumers: Set<Take>; waiting: boolean[] }>();
  const isTaken = (consumers: Set<Take>, isNewcomer: boolean): boolean => [...consumers].some((take) => take(isNewcomer));
  return {
    join(subject, take) {
      const here = subjects.get(subject) ?? { consumers: new Set<Take>(), waiting: [] };
      subjects.set(subject, here);
      here.consumers.add(take);
      return () => {
        here.consumers.delete(take);
        if (here.consumers.size === 0) subjects.delete(subject);
      };
    },
    wake(subject, isNewcomer) {
      const here = subjects.get(subject);
      if (here !== undefined && !isTaken(here.consumers, isNewcomer)) here.waiting.push(isNewcomer);
      return here !== undefined;
    },
    freed(subject) {
      const here = subjects.get(subject);
      // A woken consumer may wake others.
      for (const isNewcomer of here?.waiting.splice(0) ?? []) {
        if (here !== undefined && !isTaken(here.consumers, isNewcomer)) here.waiting.push(isNewcomer);
      }
    },
  };
}
