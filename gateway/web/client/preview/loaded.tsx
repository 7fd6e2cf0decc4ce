import { useEffect, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";

type Load<T> = (signal: AbortSignal) => Promise<T>;

/** What `load` makes of the address, again whenever that changes. `release` gets everything that was made, when it is no longer shown. */
export function useLoaded<T>(address: string, load: Load<T>, release: (made: T) => void = () => {}) {
  const [value, setValue] = useState<T | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    const loading = load(stop.signal);
    loading.then(
      (made) => stop.signal.aborted || setValue(() => made),
      (problem: unknown) => stop.signal.aborted || setError(problem),
    );
    return () => {
      stop.abort();
      loading.then(release, () => {});
    };
  }, [address]);
  return { value: error === undefined ? value : undefined, error, setError };
}

/** In place of what is not loaded yet, or cannot be. */
export function NotYet({
  error,
  tone = "bad",
  children = messageOf(error),
}: {
  error: unknown;
  tone?: "bad" | "plain";
  children?: string;
}) {
  return error === undefined ? <p class="quiet">{t("text.loading")}</p> : <Notice tone={tone}>{children}</Notice>;
}
