import { expect, test } from "vitest";
import { createLocalWakes } from "#kit/nats/local-wakes.ts";

const lane = "jobs.image.*";

test("wakes a waiting newcomer once the reserved slot is free", () => {
  const wakes = createLocalWakes();
  const looks: boolean[] = [];
  let isKeptPlaceFree = false;
  const leave = wakes.join(lane, (isNewcomer) => {
    looks.push(isNewcomer);
    return isNewcomer && isKeptPlaceFree;
  });
  expect(wakes.wake(lane, false)).toBe(true);
  expect(wakes.wake(lane, true)).toBe(true);
  expect(looks).toEqual([false, true]);
  isKeptPlaceFree = true;
  wakes.freed(lane);
  // The other one, not a newcomer, keeps waiting.
  expect(looks).toEqual([false, true, false, true]);
  wakes.freed(lane);
  expect(looks).toEqual([false, true, false, true, false]);
  leave();
  expect(wakes.wake(lane, true)).toBe(false);
});
