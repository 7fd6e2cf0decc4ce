import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { enginesOf } from "#gateway/operator/house.ts";
import { ManifestSchema, RouteSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";

it("lists an engine once with the versions of all nodes, and counts each conversion once", () => {
  const engine = (id: string, version: string) => ({ id, label: id.toUpperCase(), version });
  const manifests = [
    create(ManifestSchema, { node: "a", engines: [engine("sharp", "1"), engine("ffmpeg", "5")] }),
    create(ManifestSchema, { node: "b", engines: [engine("sharp", "2")] }),
  ];
  const routes = [["sharp"], ["sharp", "ffmpeg", "sharp"]].map((engines) => create(RouteSchema, { engines }));
  expect(enginesOf(manifests, routes)).toEqual([
    { id: "ffmpeg", label: "FFMPEG", versions: ["5"], nodes: 1, conversions: 1 },
    { id: "sharp", label: "SHARP", versions: ["1", "2"], nodes: 2, conversions: 2 },
  ]);
});
