import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import { inOrder } from "./in-order.ts";

type Renewed<T> = { readonly value: T | undefined; readonly error: unknown; renew(): Promise<void> };

/** In ms; as a function, by the last answer. */
export type Interval<T> = number | ((value: T | undefined) => number);

/** The answer of an endpoint, reloaded regularly while the browser tab is visible, and by `renew`. */
export function useRenewed<T>(path: string, interval: Interval<T>): Renewed<T> {
  const [state, setState] = useState<{ path: string; value?: T; error?: unknown }>({ path });
  const order = useMemo(inOrder, []);
  const renew = useCallback(async (): Promise<void> => {
    const isNewest = order.ask();
    try {
      const value = await call<T>(path);
      if (isNewest()) setState({ path, value });
    } catch (error) {
      if (isNewest()) setState((before) => (before.path === path ? { ...before, error } : { path, error }));
      // The reader has signed out or is no longer an operator, so the page changes to what they may see.
      if (error instanceof ApiError && (error.status === 401 || error.status === 404)) await renewMe().catch(() => {});
    }
  }, [path, order]);
  const isCurrent = state.path === path;
  const value = isCurrent ? state.value : undefined;
  const everyMs = typeof interval === "number" ? interval : interval(value);
  useEffect(() => void renew(), [renew]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void renew();
    }, everyMs);
    return () => clearInterval(timer);
  }, [renew, everyMs]);
  return { value, error: isCurrent ? state.error : undefined, renew };
}
