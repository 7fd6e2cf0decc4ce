import { signal } from "@preact/signals";
import { call } from "./api.ts";
import type { Me, Plan } from "./wire.ts";

/** Who is signed in; undefined until the server has said so. */
export const me = signal<Me | undefined>(undefined);

export async function renewMe(): Promise<Me> {
  const now = await call<Me>("/me");
  me.value = now;
  return now;
}

/** The plan that this page's conversions count against; undefined where only accounts may convert. */
export function planOf(now: Me | undefined): Plan | undefined {
  return now?.account?.plan ?? now?.guest?.plan;
}
