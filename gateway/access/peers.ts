/** Counts that gateways share, so that requests and password attempts are limited across all of them (decision 73). */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Channel } from "#kit/nats/ports.ts";

/** How long counts are collected. What all gateways admit in this time, plus the time on the wire, can exceed the limit. */
const collectMs = 100;
/** Counts that could not be sent for longer are dropped as outdated. */
const staleMs = 2000;
const entriesAtOnce = 1000;

export type Peers = {
  /** Soon tells the other gateways to add points to a key of the counter. */
  add(counter: string, key: string, points: number): void;
  /** Tells the other gateways to reset a key of the counter. */
  forget(counter: string, key: string): void;
  hear(counter: string, listener: PeerListener): void;
};
type PeerListener = { added(key: string, points: number): void; forgotten(key: string): void };

type Change = { readonly counter: string; readonly key: string; points: number; isForgotten: boolean };

/** Sent by the same code on another host, perhaps in another version. Malformed messages are ignored. */
const message = z.object({
  from: z.string(),
  changes: z.array(z.tuple([z.string(), z.string(), z.number().int(), z.boolean()])),
});

/** @param channel - Undefined with a single gateway: nothing is sent. */
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
      // Rejects if the connection was closed, which only happens when the process ends.
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
