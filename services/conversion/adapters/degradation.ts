import type { Log } from "#kit/log.ts";

const reminderMs = 60_000;

/** Says once a minute that this node runs with less isolation than it should, until it is disposed: nobody is to forget it. */
export function remindOfDegradation(log: Log): Disposable {
  const timer = setInterval(() => log.warn("sandbox.degraded", { advice: "allow user namespaces and unset SANDBOX" }), reminderMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
