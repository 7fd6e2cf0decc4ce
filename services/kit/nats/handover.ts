import type { Delivery } from "./ports.ts";

/** Consumers of this process with a free place, which a wake-up reaches without the broker (decision 19). */
export type Handover = {
  /** @param take - False: no free place. Returns the end of it. */
  join(subject: string, take: (delivery: Delivery) => boolean): () => void;
  /** Whether somebody took it. */
  offer(subject: string, delivery: Delivery): boolean;
};

export function createHandover(): Handover {
  const consumers = new Map<string, Set<(delivery: Delivery) => boolean>>();
  return {
    join(subject, take) {
      const joined = consumers.get(subject) ?? new Set();
      consumers.set(subject, joined.add(take));
      return () => void joined.delete(take);
    },
    offer(subject, delivery) {
      for (const take of consumers.get(subject) ?? []) if (take(delivery)) return true;
      return false;
    },
  };
}
