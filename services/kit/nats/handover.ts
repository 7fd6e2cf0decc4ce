import type { Delivery } from "./ports.ts";

/** Consumers of this process with a free place, which a wake-up reaches without the broker (decision 19). */
export type Handover = {
  /** @param take - False: no free place. Returns the end of it. */
  join(subject: string, take: Take): () => void;
  /** Whether somebody took it. */
  offer(subject: string, delivery: Delivery, isNewcomer: boolean): boolean;
};

type Take = (delivery: Delivery, isNewcomer: boolean) => boolean;

export function createHandover(): Handover {
  const consumers = new Map<string, Set<Take>>();
  return {
    join(subject, take) {
      const joined = consumers.get(subject) ?? new Set();
      consumers.set(subject, joined.add(take));
      return () => void joined.delete(take);
    },
    offer(subject, delivery, isNewcomer) {
      for (const take of consumers.get(subject) ?? []) if (take(delivery, isNewcomer)) return true;
      return false;
    },
  };
}
