import type { IncomingMessage } from "node:http";
import { FilemillError } from "#contract/errors.ts";

/** Below this a client only holds a connection; slow mobile links are faster by two orders. */
const MIN_BYTES_PER_SECOND = 512;
const WINDOW_MS = 10_000;
const CHECK_MS = 1000;

/**
 * Watches that a body arrives at 512 bytes a second or more, over ten seconds. Time in which we ourselves do not read
 * (the disk is slow) does not count. Calls back once when the client is too slow.
 */
export function watchBodyPace(incoming: IncomingMessage, onTooSlow: () => void): Disposable {
  let windowMs = 0;
  let bytesBefore = incoming.socket.bytesRead;
  const timer = setInterval(() => {
    if (incoming.complete || incoming.isPaused() || incoming.readableLength > 0) return;
    windowMs += CHECK_MS;
    if (windowMs < WINDOW_MS) return;
    const received = incoming.socket.bytesRead - bytesBefore;
    if (received < (MIN_BYTES_PER_SECOND * WINDOW_MS) / 1000) {
      clearInterval(timer);
      onTooSlow();
    }
    windowMs = 0;
    bytesBefore = incoming.socket.bytesRead;
  }, CHECK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** For a short body, which a parser of Fastify's reads and gives up at an error of the request. */
export function limitBodyTime(incoming: IncomingMessage, limitMs: number): void {
  const timer = setTimeout(() => incoming.emit("error", bodyTooSlow()), limitMs);
  const clear = (): void => clearTimeout(timer);
  incoming.once("end", clear).once("close", clear);
}

export function bodyTooSlow(): FilemillError {
  return new FilemillError("REQUEST_TIMEOUT", "The body arrived too slowly; send it again on a faster connection.");
}
