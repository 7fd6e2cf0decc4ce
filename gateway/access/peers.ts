/** Counts that gateways tell each other, so that an account's requests and tries at a password are counted over all of them (decision 73). */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Channel } from "#kit/nats/ports.ts";

/** How long counts are collected: what all gateways admit in this time and on the way is what can be admitted too much. */
const collectMs = 100;
/** What could not be told for longer belongs to the past. */
const staleMs = 2000;
const entriesAtOnce = 1000;

export type Peers = {
  /** Tells the others soon that a key of the counter has so many more. */
  add(counter: string, key: string, points: number): void;
  /** Tells them that nothing of it counts any more. */
  forget(counter: string, key: string): void;
  hear(counter: string, listener: PeerListener): void;
};
type PeerListener = { added(key: string, points: number): void; forgotten(key: string): void };

type Change = { readonly counter: string; readonly key: string; points: number; isForgotten: boolean };

/** From the same code on another host, perhaps of another version: what is not as it should be is left out. */
const message = z.object({
  from: z.string(),
  changes: z.array(z.tuple([z.string(), z.string(), z.number().int(), z.boolean()])),
});

/** @param channel - Undefined where there is one gateway: nothing is told. */
export function createPeers(channel: Channel | undefined): Peers {
  if (channel === undefined) return { add: () => undefined, forget: () => undefined, hear: () => undefined };
  const self = randomUUID();
  const listeners = new Map<string, PeerListener>();
  const pending = new Map<string, Change>();
  let isTelling = false;

  channel.listen((text) => {
    const heard = message.safeParse(parsed(text));
    if (!heard.success || heard.data.from === self) return;
    for (const [counter, key, points, isForgotten] of heard.data.changes) {
      const listener = listeners.get(counter);
      if (isForgotten) listener?.forgotten(key);
      if (points !== 0) listener?.added(key, points);
    }
  });
  async function tell(send: Channel["send"]): Promise<void> {
    try {
      while (pending.size > 0) {
        const changes = [...pending.values()].map(({ counter, key, points, isForgotten }) => [counter, key, points, isForgotten]);
        pending.clear();
        const startedMs = performance.now();
        for (let start = 0; start < changes.length; start += entriesAtOnce) {
          await send(JSON.stringify({ from: self, changes: changes.slice(start, start + entriesAtOnce) }));
        }
        if (performance.now() - startedMs > staleMs) pending.clear();
      }
    } finally {
      isTelling = false;
    }
  }
  const changeOf = (counter: string, key: string): Change => {
    const id = `${counter} ${key}`;
    const change = pending.get(id) ?? { counter, key, points: 0, isForgotten: false };
    pending.set(id, change);
    if (!isTelling) {
      isTelling = true;
      // Rejects when the connection was ended, and with it this process.
      setTimeout(() => void tell(channel.send).catch(() => undefined), collectMs).unref();
    }
    return change;
  };
  return {
    add(counter, key, points) {
      changeOf(counter, key).points += points;
    },
    forget(counter, key) {
      Object.assign(changeOf(counter, key), { points: 0, isForgotten: true });
    },
    hear: (counter, listener) => void listeners.set(counter, listener),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
