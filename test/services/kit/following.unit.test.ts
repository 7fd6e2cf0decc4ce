import { expect, test } from "vitest";
import { following } from "#kit/following.ts";

test("aborts with the first signal to abort, and with its reason", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  using both = following(one.signal, two.signal);
  expect(both.signal.aborted).toBe(false);
  const reason = new Error("because");
  two.abort(reason);
  one.abort(new Error("too late"));
  expect(both.signal.reason).toBe(reason);
});

test("is aborted at once if a signal already was, and can abort without the others", () => {
  const reason = new Error("before");
  using late = following(new AbortController().signal, AbortSignal.abort(reason));
  expect(late.signal.reason).toBe(reason);
  const other = new AbortController();
  using own = following(other.signal);
  own.abort(reason);
  expect([own.signal.aborted, other.signal.aborted]).toEqual([true, false]);
});

test("stops following once disposed", () => {
  const other = new AbortController();
  const followed = following(other.signal);
  followed[Symbol.dispose]();
  other.abort();
  expect(followed.signal.aborted).toBe(false);
});
