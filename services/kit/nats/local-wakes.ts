/** Consumers of this process, which can be woken without a message (decision 68). */
export type LocalWakes = {
  /** Returns the end of it. */
  join(subject: string, take: Take): () => void;
  /** One consumer looks at the subject: at once where it has a place, else when one is free. False: none is here. */
  wake(subject: string, isNewcomer: boolean): boolean;
  /** A place became free. */
  freed(subject: string): void;
};

/** False: no free place. */
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
      // Who is woken may wake others.
      for (const isNewcomer of here?.waiting.splice(0) ?? []) {
        if (here !== undefined && !isTaken(here.consumers, isNewcomer)) here.waiting.push(isNewcomer);
      }
    },
  };
}
