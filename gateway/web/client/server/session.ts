import { signal } from "@preact/signals";
import { call } from "./api.ts";
import type { Me, Plan } from "./wire.ts";

/** Who is signed in; undefined until the server has answered. */
export const me = signal<Me | undefined>(undefined);

/** Other windows of this browser, which share the cookie. */
const others = new BroadcastChannel("filemill.session");

export async function renewMe(): Promise<Me> {
  const now = await call<Me>("/me");
  const before = me.value;
  me.value = now;
  // Only a window that sees a change announces it. This prevents endless messages.
  if (before !== undefined && before.account?.id !== now.account?.id) others.postMessage("changed");
  return now;
}

/** Reloads the session when another window announces a sign-in or sign-out, and whenever this window becomes active. */
export function renewMeOnReturn(): void {
  const renew = (): void => {
    if (document.visibilityState === "visible") void renewMe().catch(() => {});
  };
  others.addEventListener("message", renew);
  document.addEventListener("visibilitychange", renew);
  addEventListener("focus", renew);
}

/** The plan that limits this page's conversions; undefined if only accounts may convert. */
export function planOf(now: Me | undefined): Plan | undefined {
  return now?.account?.plan ?? now?.guest?.plan;
}
