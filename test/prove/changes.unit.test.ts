import { expect, it } from "vitest";
import { enginesOf } from "./changes.ts";

const changed = async (...paths: readonly string[]) => [...(await enginesOf(paths))].sort();

it("finds the engines that a changed file belongs to", async () => {
  expect(await changed()).toEqual([]);
  expect(await changed("pictures/potrace.ts")).toEqual(["potrace"]);
  expect(await changed("pictures/imagemagick.ts")).toEqual(["imagemagick", "imagemagick-exr"]);
});

it("follows scripts that an engine only refers to by name", async () => {
  expect(await changed("office/libreoffice-worker.py")).toEqual(["libreoffice"]);
  expect(await changed("documents/pandoc-filter.lua")).toEqual(["join-html", "join-pdf", "pandoc"]);
  const withPictures = ["ffmpeg-stills", "imagemagick", "imagemagick-exr", "libheif", "libjxl", "mupdf", "poppler", "sharp"];
  expect(await changed("pictures/sharp-child.mjs")).toEqual(withPictures);
  expect(await changed("inside/subtitle/cues.ts")).toEqual(["subtitle"]);
  expect(await changed("inside/records/csv.ts")).toContain("data");
  expect(await changed("pictures/imagemagick-policy/policy.xml")).toEqual([
    ...["icnsutils", "imagemagick", "imagemagick-exr", "pdf", "pdf-change", "poppler", "potrace"],
  ]);
});

it("treats a change in shared code as a change of all engines", async () => {
  expect((await changed("shared/tool-run.ts")).length).toBeGreaterThan(15);
});
