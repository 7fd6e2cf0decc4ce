import { expect, it } from "vitest";
import { preferencesOf } from "#gateway/http/prefer.ts";

it.each([
  [undefined, false, undefined],
  ["respond-async", true, undefined],
  ["Respond-Async; foo=1, wait=10", true, 10_000],
  ["wait=10, wait=20", false, 10_000],
  ['wait="5"', false, 5000],
  ["wait = 5", false, 5000],
  [["wait=0", "respond-async"], true, 0],
  ["wait=-1", false, undefined],
  ["wait=1e9, wait=", false, undefined],
  ["wait=99999999999", false, undefined],
  ["handling=lenient", false, undefined],
])("reads Prefer: %s", (header, respondAsync, waitMs) => {
  expect(preferencesOf(header)).toEqual({ respondAsync, waitMs });
});
