import { expect, it } from "vitest";
import { askedOf } from "#services/conversion/engines/pdf/pdf-drawings.ts";

const bare = (withoutText: object) => [JSON.stringify({ page: 1, withoutText })];

it("rejects malformed requests from a sandbox, because they become file names", () => {
  expect(askedOf(bare({ type: "png", dpi: 150 })).pages).toEqual([{ page: 1, withoutText: { type: "png", dpi: 150 } }]);
  const box = { left: 1.5, top: 2, right: 3, bottom: 4 };
  expect(askedOf([JSON.stringify({ page: 2, box })]).drawings).toEqual([{ page: 2, box }]);
  for (const wrong of [bare({ type: "../../x", dpi: 150 }), bare({ type: "png", dpi: "/../y" }), ["{"], ["null"]]) {
    expect(() => askedOf(wrong)).toThrow("The conversion failed");
  }
});
