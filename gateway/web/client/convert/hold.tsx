import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "#client/parts/notice.tsx";
import { plural } from "#client/parts/words.ts";
import { me, planOf } from "#client/server/session.ts";
import { items } from "./items.ts";

/** Until when the server takes no further file, as it said itself; milliseconds since 1970. */
const heldUntil = signal(0);

export function isHeld(): boolean {
  return heldUntil.value > Date.now();
}

/** Sends nothing for a while, and then goes on. */
export function hold(ms: number, goOn: () => void): void {
  heldUntil.value = Math.max(heldUntil.value, Date.now() + ms);
  setTimeout(goOn, ms + 50);
}

/** Says why the rest waits, and for how long: nobody has to do anything. */
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
  return (
    <Notice tone="plain">
      <p>
        {perMinute === undefined
          ? "The server is at its limit right now."
          : `Here ${plural(perMinute, "conversion")} a minute are allowed.`}{" "}
        {plural(waiting, "file")} will start by {waiting === 1 ? "itself" : "themselves"}
        <span aria-hidden="true"> in {Math.ceil((until - now) / 1000)} s</span>; keep this page open.
      </p>
    </Notice>
  );
}
