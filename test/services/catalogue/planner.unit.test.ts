import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatOf, formats, losesTransparency } from "#formats/index.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { graphOf } from "#services/catalogue/domain/graph.ts";
import { passages } from "#services/catalogue/domain/passages.ts";
import { type FoundRoute, optionsOf, type Routes, routesOf, viaOf } from "#services/catalogue/domain/planner.ts";
import { type EngineFacts, type HopFacts, integerOption, manifestOf } from "./manifests.ts";

const routesBy = (engines: Readonly<Record<string, EngineFacts>>): Routes => routesOf(graphOf([manifestOf("n1", engines)]));
const hops = (...pairs: readonly string[]): Record<string, HopFacts> => Object.fromEntries(pairs.map((pair) => [pair, {}]));

function wayOf(routes: Routes, from: string, to: string): string | undefined {
  const route = routes.get(from)?.get(to);
  return route === undefined ? undefined : [from, ...viaOf(route), to].join(">");
}

/** A summary of the usual engines. */
const usual = routesBy({
  sharp: {
    hops: {
      ...hops("png>webp", "png>jpg", "jpg>png", "jpg>webp", "webp>png", "svg>png", "tiff>png", "png>tiff"),
      "png>gif": { fidelity: "REDUCED" },
    },
  },
  heif: { hops: hops("heic>png") },
  libreoffice: {
    lane: "office",
    hops: {
      ...hops("docx>pdf", "doc>docx", "docx>odt", "odt>pdf", "pptx>pdf", "xlsx>pdf", "xlsx>ods", "html>odt", "ods>xlsx"),
      "docx>png": { fidelity: "EXTRACT" },
      "docx>txt": { fidelity: "EXTRACT" },
      "xlsx>csv": { fidelity: "EXTRACT" },
    },
  },
  pandoc: { lane: "document", hops: hops("md>html", "md>docx", "docx>md", "html>docx", "docx>html", "md>epub", "docx>epub", "epub>docx") },
  poppler: {
    lane: "document",
    hops: {
      "pdf>png": { fidelity: "REDUCED" },
      "pdf>jpg": { fidelity: "REDUCED" },
      "pdf>svg": { fidelity: "REDUCED" },
      "pdf>txt": { fidelity: "EXTRACT" },
      "pdf>html": { fidelity: "EXTRACT" },
    },
  },
  ffmpeg: {
    lane: "media",
    hops: {
      ...hops("wav>mp3", "mp3>wav", "wav>flac", "mp4>webm", "webm>mp4"),
      "mp4>wav": { fidelity: "EXTRACT" },
      "mp4>png": { fidelity: "EXTRACT" },
    },
  },
  fluidsynth: { lane: "media", hops: hops("mid>wav") },
  data: { lane: "document", hops: hops("csv>json", "json>yaml", "json>csv", "csv>xlsx") },
});

describe("a same-format route", () => {
  const pairs = [
    "png>png",
    "png>jpg",
    "jpg>png",
    "heic>png",
    "png>tiff",
    "tiff>tiff",
    "tiff>webp",
    "docx>docx",
    "docx>pdf",
    "pdf>pdf",
    "pdf>png",
  ];
  const routes = routesBy({ one: { hops: hops(...pairs) } });

  it("exists only as a single hop that an engine declares", () => {
    expect([wayOf(routes, "png", "png"), wayOf(routes, "tiff", "tiff"), wayOf(routes, "docx", "docx")]).toEqual([
      ...["png>png", "tiff>tiff", "docx>docx"],
    ]);
    expect(wayOf(routes, "jpg", "jpg")).toBeUndefined();
  });

  it("is never part of a longer route", () => {
    const longer = [...routes.values()].flatMap((found) => [...found.values()]).filter((route) => route.hops.length > 1);
    expect(longer.length).toBeGreaterThan(3);
    expect(longer.filter((route) => route.hops.some(({ from, to }) => from === to))).toEqual([]);
  });
});

describe("sensible routes", () => {
  it.each([
    ["docx", "pdf", "docx>pdf"],
    ["docx", "png", "docx>pdf>png"],
    ["docx", "webp", "docx>pdf>png>webp"],
    ["pptx", "jpg", "pptx>pdf>jpg"],
    ["md", "pdf", "md>docx>pdf"],
    ["md", "png", "md>docx>pdf>png"],
    ["doc", "md", "doc>docx>md"],
    ["doc", "epub", "doc>docx>epub"],
    ["epub", "pdf", "epub>docx>pdf"],
    ["svg", "webp", "svg>png>webp"],
    ["heic", "webp", "heic>png>webp"],
    ["mid", "mp3", "mid>wav>mp3"],
    ["mp4", "mp3", "mp4>wav>mp3"],
    ["mp4", "webp", "mp4>png>webp"],
    ["csv", "pdf", "csv>xlsx>pdf"],
    ["docx", "svg", "docx>pdf>svg"],
  ])("%s to %s goes %s", (from, to, way) => expect(wayOf(usual, from, to)).toBe(way));
});

describe("nonsense routes", () => {
  it.each([
    ["png", "xlsx"],
    ["mp3", "docx"],
    ["pdf", "xlsx"],
    ["pdf", "docx"],
    ["pdf", "md"],
    ["png", "mp3"],
    ["png", "png"],
    ["docx", "docx"],
    ["docx", "json"],
    ["docx", "xlsx"],
    ["xlsx", "md"],
    ["csv", "yaml"],
    ["mp4", "docx"],
    ["mp3", "png"],
    ["md", "webp"],
  ])("%s to %s does not exist", (from, to) => expect(wayOf(usual, from, to)).toBeUndefined());

  it("are avoided by not passing through lossy formats", () => {
    for (const hub of passages.flatMap((passage) => passage.via.flat()))
      expect(["jpg", "gif", "mp3", "txt", "webp", "mp4"]).not.toContain(hub);
  });

  it("exist if an engine declares them itself", () => {
    const ocr = routesBy({ ocr: { hops: { "png>txt": { fidelity: "EXTRACT" }, "pdf>pdf": {} } } });
    expect(wayOf(ocr, "png", "txt")).toBe("png>txt");
    expect(wayOf(ocr, "pdf", "pdf")).toBe("pdf>pdf");
  });
});

describe("the passage table", () => {
  it("contains known formats in chains of one or two", () => {
    for (const { via, targets } of passages) {
      for (const chain of via) expect([1, 2]).toContain(chain.length);
      for (const id of [...via.flat(), ...(targets ?? [])]) expect(formatOf(id), id).toBeDefined();
    }
  });
});

describe("the best route", () => {
  it("has the highest fidelity, then the fewest hops, then the lowest cost", () => {
    const better = routesBy({ a: { hops: { "bmp>webp": { fidelity: "REDUCED" }, "bmp>png": { fidelity: "LOSSLESS" }, "png>webp": {} } } });
    expect(wayOf(better, "bmp", "webp")).toBe("bmp>png>webp");
    const shorter = routesBy({ a: { hops: { "bmp>webp": { cost: 9000 }, "bmp>png": { cost: 1 }, "png>webp": { cost: 1 } } } });
    expect(wayOf(shorter, "bmp", "webp")).toBe("bmp>webp");
    const cheaper = routesBy({ a: { hops: { ...hops("bmp>png", "png>webp", "bmp>tiff"), "tiff>webp": { cost: 50 } } } });
    expect(wayOf(cheaper, "bmp", "webp")).toBe("bmp>tiff>webp");
  });

  it("uses the better engine of a pair, or the first by id", () => {
    const engineOf = (engines: Record<string, EngineFacts>) => routesBy(engines).get("png")?.get("webp")?.hops[0]?.engine;
    expect(engineOf({ a: { hops: { "png>webp": { fidelity: "REDUCED", cost: 1 } } }, b: { hops: hops("png>webp") } })).toBe("b");
    expect(engineOf({ a: { hops: { "png>webp": { cost: 2 } } }, b: { hops: { "png>webp": { cost: 1 } } } })).toBe("b");
    expect(engineOf({ b: { hops: hops("png>webp") }, a: { hops: hops("png>webp") } })).toBe("a");
  });

  it("has the limits of its weakest hop and the heaviest lane", () => {
    const routes = routesBy({
      office: { lane: "office", hops: { "docx>pdf": { maxInputMb: 50, cost: 300 } } },
      poppler: { lane: "document", hops: { "pdf>png": { fidelity: "REDUCED", maxInputMb: 200, cost: 60, async: true } } },
    });
    const route = routes.get("docx")?.get("png");
    expect(route).toMatchObject({ fidelity: Fidelity.REDUCED, maxInputMb: 50, async: true, lane: "office", cost: 360 });
  });
});

describe("route options", () => {
  it("belong to the last hop that declares them", () => {
    const width = integerOption("width", 1, 100, "of the page");
    const late = integerOption("width", 1, 200, "of the picture");
    const routes = routesBy({
      a: {
        hops: {
          "docx>pdf": { options: [integerOption("quality", 1, 9), width] },
          "pdf>png": { options: [integerOption("page", 1, 9), late] },
        },
      },
    });
    const route = routes.get("docx")?.get("png") as FoundRoute;
    const found = [...optionsOf(route)].map(([name, { hop, option }]) => [name, hop, option.description]);
    expect(found).toEqual([
      ["quality", 0, "quality"],
      ["page", 1, "page"],
      ["width", 1, "of the picture"],
    ]);
  });
});

describe("several nodes", () => {
  it("are merged, with the limits that all of them meet", () => {
    const options = [integerOption("quality", 1, 100)];
    const strong = manifestOf("b", { sharp: { hops: { "png>webp": { maxInputMb: 100, options }, "png>avif": {} } } });
    const weak = manifestOf("a", { sharp: { hops: { "png>webp": { maxInputMb: 20, fidelity: "REDUCED" } } } });
    for (const manifests of [
      [strong, weak],
      [weak, strong],
    ]) {
      const routes = routesOf(graphOf(manifests));
      expect(routes.get("png")?.get("webp")).toMatchObject({ maxInputMb: 20, fidelity: Fidelity.REDUCED });
      expect(optionsOf(routes.get("png")?.get("webp") as FoundRoute).size).toBe(0);
      expect(wayOf(routes, "png", "avif")).toBe("png>avif");
    }
  });

  it("do not add lanes and formats that this build does not know", () => {
    const routes = routesOf(
      graphOf([manifestOf("n", { x: { lane: "quantum", hops: hops("png>webp") }, y: { hops: hops("png>nonesuch", "nonesuch>png") } })]),
    );
    expect([...routes.keys()]).toEqual([]);
  });
});

it("keeps its invariants on any graph", () => {
  const id = fc.constantFrom(
    "png",
    "tiff",
    "svg",
    "pdf",
    "docx",
    "odt",
    "html",
    "md",
    "epub",
    "xlsx",
    "csv",
    "json",
    "wav",
    "mp3",
    "mp4",
    "jpg",
    "webp",
    "pptx",
    "txt",
  );
  const fidelity = fc.constantFrom("LOSSLESS", "HIGH", "REDUCED", "EXTRACT") as fc.Arbitrary<keyof typeof Fidelity>;
  const hop = fc.tuple(id, id, fidelity, fc.nat(1000), fc.boolean(), fc.integer({ min: 1, max: 500 }));
  fc.assert(
    fc.property(fc.array(hop, { maxLength: 60 }), (list) => {
      const facts = Object.fromEntries(
        list.map(([from, to, level, cost, async, maxInputMb]) => [`${from}>${to}`, { fidelity: level, cost, async, maxInputMb }]),
      );
      const graph = graphOf([manifestOf("n", { e: { hops: facts } })]);
      for (const [from, found] of routesOf(graph)) {
        for (const [to, route] of found) {
          const formatsPassed = [from, ...viaOf(route), to];
          expect(route.hops.length).toBeLessThanOrEqual(3);
          if (route.hops.length > 1) expect(new Set(formatsPassed).size).toBe(formatsPassed.length);
          route.hops.forEach((edge, index) => {
            expect([edge.from, edge.to]).toEqual(formatsPassed.slice(index, index + 2));
          });
          const least = losesTransparency(from, to) ? Fidelity.REDUCED : Fidelity.LOSSLESS;
          expect(route.fidelity).toBe(Math.max(least, ...route.hops.map((edge) => edge.fidelity)));
          const direct = graph.get(from)?.get(to)?.[0];
          if (direct !== undefined) expect(route.fidelity).toBeLessThanOrEqual(Math.max(least, direct.fidelity));
          if (direct !== undefined && Math.max(least, direct.fidelity) === route.fidelity) expect(route.hops).toEqual([direct]);
        }
      }
    }),
    { numRuns: 200 },
  );
});

it("finds the same routes in any order of announcements", () => {
  const ids = formats.filter((row) => row.kind === "image").map((row) => row.id);
  const pairs = ids.slice(0, 12).flatMap((from) => ids.slice(0, 12).map((to) => `${from}>${to}`));
  const [forward, backward] = [pairs, pairs.toReversed()].map((order) => routesBy({ e: { hops: hops(...order) } }));
  expect([...(forward ?? [])].flatMap(([, found]) => [...found.keys()])).toEqual(
    [...(backward ?? [])].flatMap(([, found]) => [...found.keys()]),
  );
});
