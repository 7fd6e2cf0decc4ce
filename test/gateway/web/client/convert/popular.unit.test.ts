import { expect, it } from "vitest";
import { byUse, groupedByKind, popularOf } from "#client/convert/popular.ts";
import type { Format, Route } from "#client/server/wire.ts";

const route = (to: string): Route => ({ from: "png", to, fidelity: "high", async: false, maxInputMb: 1, options: [] });
const format = (id: string, kind: string, extensions = [id]): Format => ({
  ...{ id, label: `${id.toUpperCase()} file`, kind, extensions, mime: "", targets: 1, sources: 1 },
});

it("offers the most popular targets first, only available ones, and never the source format", () => {
  const routes = ["bmp", "png", "webp", "jpg", "pdf"].map(route);
  expect(popularOf(routes, "image").map(({ to }) => to)).toEqual(["jpg", "webp", "pdf"]);
  expect(popularOf(routes, "image", 1).map(({ to }) => to)).toEqual(["jpg"]);
  expect(popularOf(routes, "unheard of")).toEqual([]);
});

it("groups targets by kind: the source's own first, then the largest", () => {
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

it("puts recently used targets after the popular ones, and sorts the rest of a kind by use", () => {
  const routes = ["avs", "bmp", "webp", "jpg", "pdf"].map(route);
  expect(popularOf(routes, "image", 2, ["bmp", "jpg"]).map(({ to }) => to)).toEqual(["jpg", "webp", "bmp"]);
  expect(byUse(routes, "image", ["bmp"]).map(({ to }) => to)).toEqual(["jpg", "webp", "pdf", "bmp", "avs"]);
});

it("offers a table first for a table, and no slow video conversion first for a video", () => {
  const from = (id: string, targets: readonly string[]): Route[] => targets.map((to) => ({ ...route(to), from: id }));
  expect(popularOf(from("csv", ["json", "xlsx", "pdf"]), "data", 1).map(({ to }) => to)).toEqual(["xlsx"]);
  expect(popularOf(from("mp4", ["webm", "mp3", "mkv"]), "video", 1).map(({ to }) => to)).toEqual(["mp3"]);
});
