import { expect, it } from "vitest";
import { answersTo, bestFirst, groupedByKind, popularOf } from "#client/convert/popular.ts";
import type { Format, Route } from "#client/server/wire.ts";

const route = (to: string): Route => ({ from: "png", to, fidelity: "high", async: false, maxInputMb: 1, options: [] });
const format = (id: string, kind: string, extensions = [id]): Format => ({
  ...{ id, label: `${id.toUpperCase()} file`, kind, extensions, mime: "", targets: 1, sources: 1 },
});

it("offers what people usually want first, never the format itself, and only what is there", () => {
  const routes = ["bmp", "png", "webp", "jpg", "pdf"].map(route);
  expect(popularOf(routes, "image").map(({ to }) => to)).toEqual(["jpg", "webp", "pdf"]);
  expect(popularOf(routes, "image", 1).map(({ to }) => to)).toEqual(["jpg"]);
  expect(popularOf(routes, "unheard of")).toEqual([]);
});

it("groups targets by kind, the source's own first, then the largest", () => {
  const kinds: Readonly<Record<string, string>> = { jpg: "image", pdf: "document", mp4: "video", webm: "video" };
  const groups = groupedByKind(["pdf", "mp4", "webm", "jpg"].map(route), "image", (id) => format(id, kinds[id] ?? ""));
  expect(groups.map(([kind, members]) => [kind, members.map(({ to }) => to)])).toEqual([
    ...[
      ["image", ["jpg"]],
      ["video", ["mp4", "webm"]],
      ["document", ["pdf"]],
    ],
  ]);
});

it("finds by id, label, extension and kind, every word of it, the exact one first", () => {
  const jpg = format("jpg", "image", ["jpg", "jpeg"]);
  expect(["jpeg", ".JPG", "image file", "jpg image"].map((query) => answersTo(jpg, query))).toEqual([true, true, true, true]);
  expect(answersTo(jpg, "jpg video")).toBe(false);
  expect(bestFirst([format("apng", "image"), format("png", "image"), format("pngx", "image")], "PNG").map(({ id }) => id)).toEqual([
    "png",
    "pngx",
    "apng",
  ]);
});
