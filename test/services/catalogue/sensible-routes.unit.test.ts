import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { graphOf } from "#services/catalogue/domain/graph.ts";
import { routesOf, viaOf } from "#services/catalogue/domain/planner.ts";
import { engineManifestOf } from "#services/conversion/domain/manifest.ts";
import { engines } from "#services/conversion/engines/registry.ts";

describe("the routes of all engines in this build", () => {
  const routes = routesOf(
    graphOf([create(ManifestSchema, { node: "here", engines: engines.map((engine) => engineManifestOf(engine, "1")) })]),
  );
  const wayOf = (from: string, to: string) => {
    const route = routes.get(from)?.get(to);
    return route === undefined ? undefined : viaOf(route).join(" ");
  };

  it.each([
    ["heic", "jpg", ""],
    ["heic", "webp", "png"],
    ["jpg", "heic", "png"],
    ["psd", "jpg", "tiff"],
    ["jpg", "jxl", ""],
    ["png", "ico", ""],
    ["svg", "ico", "png"],
    ["svg", "pdf", ""],
    ["jpg", "pdf", ""],
    ["webp", "pdf", "png"],
    ["tiff", "pdf", ""],
    ["eps", "svg", "pdf"],
    ["pdf", "html", ""],
    ["pdf", "txt", ""],
    ["pdf", "md", "html"],
    ["pdf", "docx", ""],
    ["docx", "pdfa", ""],
    ["djvu", "txt", "pdf"],
    ["xps", "docx", "pdf"],
    ["docx", "heic", "pdf png"],
    ["epub", "pdf", ""],
    ["jpg", "svg", "png bmp"],
    ["apng", "avif", "png"],
    ["cb7", "pdf", "cbz"],
    ["cbr", "jpg", "cbz pdf"],
    ["cbt", "zip", ""],
    ["xlsx", "md", ""],
    ["numbers", "json", ""],
    ["numbers", "ods", "xlsx"],
    ["ppt", "xhtml", "html"],
  ])("%s to %s go via [%s]", (from, to, via) => expect(wayOf(from, to)).toBe(via));

  it("read text in pictures from pixels, never from a page that holds the picture", () => {
    for (const from of ["jpg", "png", "heic", "webp", "bmp", "psd", "tiff"]) expect(wayOf(from, "txt"), from).toMatch(/^$|^(png|tiff)$/);
  });

  it("include no nonsense pairs", () => {
    const senseless = ["docx>ico", "png>xlsx", "pdf>mp3", "mp4>psd", "mp3>png", "xlsx>mp4", "pptx>wbmp", "epub>xbm", "jpg>csv"];
    expect(senseless.filter((pair) => wayOf(pair.split(">")[0] ?? "", pair.split(">")[1] ?? "") !== undefined)).toEqual([]);
  });
});
