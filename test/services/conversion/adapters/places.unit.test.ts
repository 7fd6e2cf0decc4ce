import { expect, it } from "vitest";
import { createPlaces, type Guest } from "#services/conversion/adapters/places.ts";

const never = (): Promise<boolean> => new Promise(() => undefined);

it("keeps the last slot for newcomers, even while it rests after finding none", async () => {
  const places = createPlaces(2, 1);
  const guests: Guest[] = [];
  const begin = (work: () => Promise<boolean>): Promise<void> =>
    places.use((guest) => {
      guests.push(guest);
      return work();
    });
  expect([places.admits(false), places.admits(true)]).toEqual([true, true]);
  void begin(never);
  void begin(never);
  expect([places.admits(false), places.admits(true)]).toEqual([false, true]);
  let isOver = false;
  const looked = begin(async () => false).then(() => {
    isOver = true;
  });
  expect(places.admits(true)).toBe(false);
  // Within this turn of the event loop, so that the slot is still resting.
  for (let step = 0; step < 20; step++) await Promise.resolve();
  expect(places.admits(true)).toBe(true);
  expect(isOver).toBe(false);
  void begin(never);
  expect([places.admits(false), places.admits(true)]).toEqual([false, false]);
  expect(guests).toEqual(["anybody", "anybody", "idle account", "idle account"]);
  await looked;
});

it("keeps no slot if none is reserved", () => {
  const places = createPlaces(1, 0);
  void places.use(never);
  expect(places.admits(true)).toBe(false);
});
