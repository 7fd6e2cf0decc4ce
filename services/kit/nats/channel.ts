import type { Log } from "#kit/log.ts";
import type { Link } from "./link.ts";
import type { Channel } from "./ports.ts";

/** Uses core NATS, which stores nothing: a listener that is away misses messages. */
export function openChannel({ nc }: Link, subject: string, log: Log): Channel {
  const listeners: ((text: string) => void)[] = [];
  let isOpen = true;
  nc.subscribe(subject, {
    callback(error, message) {
      if (error === null) for (const listener of listeners) listener(message.string());
      else if (isOpen) {
        isOpen = false;
        log.warn("broker.channel_refused", { subject, code: error.code });
      }
    },
  });
  return {
    async send(text) {
      if (!isOpen || nc.isClosed()) return;
      nc.publish(subject, Buffer.from(text));
      await nc.flush();
    },
    listen: (listener) => void listeners.push(listener),
  };
}
