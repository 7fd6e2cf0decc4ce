import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { rich } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { me, planOf } from "#client/server/session.ts";
import { items } from "./items.ts";

/** Until when the server accepts no more files, according to its answer; milliseconds since 1970. */
const heldUntil = signal(0);

export function isHeld(): boolean {
  return heldUntil.value > Date.now();
}

/** Pauses sending for a while, then continues. */
export function hold(ms: number, goOn: () => void): void {
  heldUntil.value = Math.max(heldUntil.value, Date.now() + ms);
  setTimeout(goOn, ms + 50);
}

/** Says why other files wait, and for how long. The reader need not do anything. */
export function HoldNotice() {
  const [now, setNow] = useState(Date.now());
  const until = heldUntil.value;
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  const waiting = items.value.filter(({ phase }) => phase.name === "waiting").length;
  if (until <= now || waiting === 0) return null;
  const perMinute = planOf(me.value)?.requestsPerMinute;
  const facts = {
    files: waiting,
    seconds: Math.ceil((until - now) / 1000),
    wait: (parts: ComponentChildren[]) => <span aria-hidden="true">{parts}</span>,
  };
  return (
    <Notice tone="plain">
      <p>{perMinute === undefined ? rich("text.holdBusy", facts) : rich("text.holdRate", { ...facts, perMinute })}</p>
    </Notice>
  );
}
