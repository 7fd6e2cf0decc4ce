import { expect, it } from "vitest";
import { pieceOf } from "#services/conversion/engines/inside/pdf/lines.ts";
import { markerOf } from "#services/conversion/engines/inside/pdf/markers.ts";
import { runAt } from "./letters.ts";

it.each([
  ["(1) First", 1],
  ["(12) Twelfth", 12],
  ["100. Hundredth", 100],
  ["(212) 555-0100", undefined],
])("reads the number that starts %s", (text, number) => {
  expect(markerOf(pieceOf([runAt(text, 20, 30)]), [])?.number).toBe(number);
});
