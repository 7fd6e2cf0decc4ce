import type { IncomingMessage } from "node:http";
import { FilemillError } from "#contract/errors.ts";

/** A slower client only occupies a connection. Slow mobile links are two orders of magnitude faster. */
const MIN_BYTES_PER_SECOND = 512;
const WINDOW_MS = 10_000;
const CHECK_MS = 1000;

/**
 * Calls back once if a body arrives at less than 512 bytes per second, measured over 10 seconds. Time in which the gateway itself does not
 * read, for example because the disk is slow, does not count.
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

/** For short bodies read by a Fastify parser, which stops at an error of the request. */
export function limitBodyTime(incoming: IncomingMessage, limitMs: number): void {
  const timer = setTimeout(() => incoming.emit("error", bodyTooSlow()), limitMs);
  const clear = (): void => clearTimeout(timer);
  incoming.once("end", clear).once("close", clear);
}

export function bodyTooSlow(): FilemillError {
  return new FilemillError("REQUEST_TIMEOUT", "The body arrived too slowly; send it again on a faster connection.");
}
