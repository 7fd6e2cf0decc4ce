import type { Log } from "#kit/log.ts";

const reminderMs = 60_000;

/** Logs once a minute, until it is disposed, that this node is less isolated than it should be, so that nobody forgets. */
export function remindOfDegradation(log: Log): Disposable {
  const timer = setInterval(() => log.warn("sandbox.degraded", { advice: "allow user namespaces and unset SANDBOX" }), reminderMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
