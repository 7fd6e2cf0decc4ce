import { expect, it } from "vitest";
import { changesOf, isOwn, ownTitleOf } from "#client/convert/own-format.ts";
import type { Option } from "#client/server/wire.ts";

const option = (name: string): Option => ({ name, type: "string", default: null, description: "" });

it("says what can be changed of a file that stays what it is", () => {
  const options = ["rotate", "optimise", "protect", "unheardOf"].map(option);
  expect(changesOf({ options })).toEqual(["smaller", "turned", "protected"]);
  expect(ownTitleOf({ from: "pdf", options })).toBe("PDF, changed: smaller, turned, protected");
  expect(ownTitleOf({ from: "txt", options: [] })).toBe("TXT, changed");
  expect([isOwn({ from: "pdf", to: "pdf" }), isOwn({ from: "pdf", to: "png" })]).toEqual([true, false]);
});
