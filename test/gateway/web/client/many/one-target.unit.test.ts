import { expect, it } from "vitest";
import type { Item } from "#client/convert/items.ts";
import { commonTargets, everydayTargets, type Known, scopesOf, shareOut } from "#client/many/one-target.ts";
import type { Format, Route } from "#client/server/wire.ts";

const kinds: Readonly<Record<string, string>> = { png: "image", jpg: "image", docx: "document", pdf: "document", srt: "subtitle" };
const targets: Readonly<Record<string, string>> = { png: "png jpg pdf", jpg: "png pdf", docx: "pdf", pdf: "pdf png", srt: "txt" };
const known: Known = {
  routesFrom: (from) =>
    targets[from]?.split(" ").map((to): Route => ({ from, to, fidelity: "high", async: false, maxInputMb: 1, options: [] })),
  formatOf: (id) =>
    id === undefined || kinds[id] === undefined
      ? undefined
      : ({ id, kind: kinds[id], label: id, extensions: [id], mime: "", targets: 1, sources: 1 } satisfies Format),
};

const item = (name: string): Item => {
  const from = name.split(".").at(-1) ?? "";
  return {
    ...{ id: name, name, folder: "", batch: 1, sizeBytes: 1, file: undefined, from: kinds[from] === undefined ? undefined : from },
    ...{ fromChosen: false, to: undefined, options: {}, jobId: undefined, phase: { name: "choosing" } },
  };
};
const all = ["a.png", "b.png", "c.jpg", "d.docx", "e.pdf", "f.srt", "g.odd"].map(item);

it("offers all files, then each kind with more than one file", () => {
  const scopes = scopesOf(all, known).map(({ kind, items }) => [kind, items.length]);
  expect(scopes).toEqual([
    [undefined, 7],
    ["image", 3],
    ["document", 2],
  ]);
  expect(scopesOf(all.slice(0, 3), known).map(({ kind }) => kind)).toEqual([undefined]);
});

it("offers the most common everyday targets, not the most widely available ones", () => {
  expect(everydayTargets(["a.png", "b.png", "c.docx"].map(item), known)).toEqual(["pdf", "jpg"]);
});

it("counts how many files can be converted to each target, except their own format", () => {
  expect([...commonTargets(all, known)]).toEqual([
    ["pdf", 4],
    ["jpg", 2],
    ["png", 2],
    ["txt", 1],
  ]);
});

it("assigns a target to files that support it and explains why the others do not", () => {
  const { ids, rest } = shareOut(all, "pdf", known);
  expect([...ids]).toEqual(["a.png", "b.png", "c.jpg", "d.docx"]);
  expect(rest).toEqual([
    { reason: "already", from: "pdf", names: ["e.pdf"] },
    { reason: "no-route", from: "srt", names: ["f.srt"] },
    { reason: "unknown", from: undefined, names: ["g.odd"] },
  ]);
});
