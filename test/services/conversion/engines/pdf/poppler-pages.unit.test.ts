import { expect, it } from "vitest";
import { saysDamaged } from "#services/conversion/engines/pdf/poppler-pages.ts";

it("takes windows of comments without a place for no damage", () => {
  const place = "Syntax Error: Bad bounding box for annotation\n";
  expect([place, place.replace(":", " (77):"), `${place}Syntax Error: Unknown operator\n`].map(saysDamaged)).toEqual([false, false, true]);
});
