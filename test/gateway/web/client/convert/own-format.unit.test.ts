import { expect, it } from "vitest";
import { changesOf, changeWords, isOwn, ownHintOf, ownTitleOf } from "#client/convert/own-format.ts";
import "#test/gateway/web/client/english.ts";
import type { Option } from "#client/server/wire.ts";
import { engines } from "#services/conversion/engines/registry.ts";

const option = (name: string): Option => ({ name, type: "string", default: null, description: "" });

it("describes what can be changed about a file in its own format", () => {
  const options = ["rotate", "optimise", "protect", "unheardOf"].map(option);
  expect(changesOf({ options })).toEqual(["smaller", "rotated", "protected"]);
  expect(ownTitleOf({ from: "pdf", options })).toBe("PDF, changed: smaller, rotated, protected");
  expect(ownHintOf({ from: "pdf", options })).toBe(
    "The format stays PDF. Choose below what to change. Possible: smaller, rotated, protected.",
  );
  expect(ownTitleOf({ from: "txt", options: [] })).toBe("TXT, changed");
  expect(ownHintOf({ from: "txt", options: [] })).toBe("The format stays TXT. Choose below what to change.");
  expect([isOwn({ from: "pdf", to: "pdf" }), isOwn({ from: "pdf", to: "png" })]).toEqual([true, false]);
});

it("names only options that some engine offers for changing a file in its own format", () => {
  const own = engines.flatMap(({ hops }) => hops).filter(isOwn);
  const declared = new Set(own.flatMap(({ options }) => options.map(({ name }) => name)));
  const named = changeWords.flatMap(([, options]) => options.split(" "));
  expect(named.filter((name) => !declared.has(name))).toEqual([]);
});
