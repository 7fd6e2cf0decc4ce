import { signal } from "@preact/signals";
import { call } from "./api.ts";
import type { Me, Plan } from "./wire.ts";

/** Who is signed in; undefined until the server has said so. */
export const me = signal<Me | undefined>(undefined);

/** The other windows of this browser, which have the same cookie. */
const others = new BroadcastChannel("filemill.session");

export async function renewMe(): Promise<Me> {
  const now = await call<Me>("/me");
  const before = me.value;
  me.value = now;
  // Only who sees a change tells of it, so that it ends.
  if (before !== undefined && before.account?.id !== now.account?.id) others.postMessage("changed");
  return now;
}

/** Somebody may have signed in or out in another window: asks again when it says so, and whenever the page is looked at. */
export function renewMeOnReturn(): void {
  const renew = (): void => {
    if (document.visibilityState === "visible") void renewMe().catch(() => {});
  };
  others.addEventListener("message", renew);
  document.addEventListener("visibilitychange", renew);
  addEventListener("focus", renew);
}

/** The plan that this page's conversions count against; undefined where only accounts may convert. */
export function planOf(now: Me | undefined): Plan | undefined {
  return now?.account?.plan ?? now?.guest?.plan;
}
