import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { formats } from "#formats/index.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { type EngineFacts, integerOption, manifestOf } from "./manifests.ts";

const engines: Record<string, EngineFacts> = {
  libreoffice: {
    lane: "office",
    hops: { "docx>pdf": { cost: 300, options: [integerOption("pages", 1, 9)] }, "docx>odt": {}, "docx>txt": {} },
  },
  poppler: { lane: "document", hops: { "pdf>png": { fidelity: "REDUCED", options: [integerOption("dpi", 10, 600)] } } },
};
const catalogue = catalogueOf([manifestOf("n1", engines)]);

function failureOf(from: string, to: string): unknown {
  try {
    return catalogue.plan({ from, to, options: {} });
  } catch (error) {
    return error instanceof FilemillError ? { code: error.code, details: error.details } : error;
  }
}

function optionNamesOf(set: number | undefined): string[] | undefined {
  return catalogue.list().optionSets[set ?? -1]?.options.map((option) => option.name);
}

describe("the list", () => {
  it("contains each option set once, however many routes share it", () => {
    const pairs = formats.slice(0, 40).flatMap(({ id }) => formats.slice(0, 40).flatMap((to) => (to.id === id ? [] : `${id}>${to.id}`)));
    // Each announced hop has its own copy of the options, as when decoded from a message.
    const hops = () => Object.fromEntries(pairs.map((pair) => [pair, { options: [integerOption("quality", 1, 100)] }]));
    const { routes, optionSets } = catalogueOf([manifestOf("n", { e: { hops: hops() } })]).list();
    expect(routes).toHaveLength(pairs.length);
    expect(optionSets).toHaveLength(1);
    expect(routes.every((route) => route.optionSet === 0 && route.options.length === 0)).toBe(true);
  });

  it("contains only the formats of its routes, in order", () => {
    const { formats: rows, routes } = catalogue.list();
    expect(rows.map((row) => row.id)).toEqual(["docx", "odt", "pdf", "png", "txt"]);
    expect(rows.find((row) => row.id === "png")).toMatchObject({
      label: "PNG image",
      kind: "image",
      extensions: ["png"],
      mime: "image/png",
    });
    expect(routes.map((route) => `${route.from}>${route.to}`)).toEqual(["docx>odt", "docx>pdf", "docx>png", "docx>txt", "pdf>png"]);
    expect(catalogue.routeCount).toBe(5);
  });

  it("combines the facts of a route's hops", () => {
    const route = catalogue.list().routes.find((found) => found.to === "png" && found.from === "docx");
    expect(route).toMatchObject({
      via: ["pdf"],
      engines: ["libreoffice", "poppler"],
      fidelity: Fidelity.REDUCED,
      async: false,
      maxInputMb: 100,
    });
    expect(optionNamesOf(route?.optionSet)).toEqual(["pages", "dpi"]);
  });

  it("is built only once", () => expect(catalogue.list()).toBe(catalogue.list()));

  it("has a revision that depends only on the content", () => {
    const revisionOf = (...nodes: readonly string[]) => catalogueOf(nodes.map((node) => manifestOf(node, engines))).list().revision;
    expect(revisionOf("n1")).toBe(catalogue.list().revision);
    expect(revisionOf("other")).toBe(catalogue.list().revision);
    expect(revisionOf("n1", "n2")).toBe(catalogue.list().revision);
    const changed = {
      ...engines,
      poppler: { lane: "document", hops: { "pdf>png": { fidelity: "REDUCED", options: [integerOption("dpi", 10, 601)] } } },
    } as const;
    expect(catalogueOf([manifestOf("n1", changed)]).list().revision).not.toBe(catalogue.list().revision);
    expect(catalogueOf([]).list()).toMatchObject({ formats: [], routes: [] });
  });
});

it("is UNAVAILABLE for any plan while no engine is announced", () => {
  for (const to of ["webp", "nothing"]) {
    expect(() => catalogueOf([]).plan({ from: "png", to, options: {} })).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
  }
});

describe("a single route", () => {
  it("lists its options and its hops with engine and version", () => {
    const { route, hops, lane } = catalogue.route({ from: ".DOCX", to: "PNG" });
    expect(route).toMatchObject({ from: "docx", to: "png", fidelity: Fidelity.REDUCED, via: ["pdf"], engines: ["libreoffice", "poppler"] });
    expect(route?.options.map((option) => option.name)).toEqual(["pages", "dpi"]);
    expect(hops).toMatchObject([
      { engine: "libreoffice", label: "libreoffice", version: "1", from: "docx", to: "pdf", fidelity: Fidelity.HIGH },
      { engine: "poppler", version: "1", from: "pdf", to: "png", fidelity: Fidelity.REDUCED },
    ]);
    expect(lane).toBe("office");
    expect(() => catalogue.route({ from: "pdf", to: "odt" })).toThrow(expect.objectContaining({ code: "UNSUPPORTED_CONVERSION" }));
  });

  it("lists every announced version", () => {
    const newer = manifestOf("n2", engines);
    for (const engine of newer.engines) engine.version = "2";
    const { hops } = catalogueOf([manifestOf("n1", engines), newer]).route({ from: "docx", to: "pdf" });
    expect(hops[0]?.version).toBe("1, 2");
  });
});

describe("the next best plan", () => {
  const several = catalogueOf([
    manifestOf("n1", {
      first: { hops: { "png>webp": { options: [integerOption("quality", 1, 100)] } } },
      second: {
        hops: {
          "png>webp": { fidelity: "REDUCED", options: [integerOption("width", 1, 100)] },
          "png>tiff": {},
          "tiff>webp": { options: [integerOption("quality", 1, 100)] },
        },
      },
    }),
  ]);
  const failed = { engine: "first", from: "png", to: "webp" };
  const hopsOf = (avoid: readonly (typeof failed)[], options = {}) =>
    several.plan({ from: "png", to: "webp", options, avoid }).hops.map(({ engine, from, to }) => `${engine}:${from}>${to}`);

  it("avoids the hops that failed", () => {
    expect(hopsOf([])).toEqual(["first:png>webp"]);
    expect(hopsOf([failed])).toEqual(["second:png>tiff", "second:tiff>webp"]);
    expect(hopsOf([failed, { engine: "second", from: "tiff", to: "webp" }])).toEqual(["second:png>webp"]);
  });

  it("supports every requested option, or there is none", () => {
    const noTiff = { engine: "second", from: "png", to: "tiff" };
    expect(hopsOf([failed], { quality: "80" })).toEqual(["second:png>tiff", "second:tiff>webp"]);
    expect(() => hopsOf([failed, noTiff], { quality: "80" })).toThrow(expect.objectContaining({ code: "UNSUPPORTED_CONVERSION" }));
    expect(hopsOf([failed, noTiff])).toEqual(["second:png>webp"]);
    // The better route has no width option, a later one does.
    expect(hopsOf([failed], { width: "80" })).toEqual(["second:png>webp"]);
  });
});

describe("a plan", () => {
  it("assigns each hop its own options", () => {
    const plan = catalogue.plan({ from: "docx", to: ".PNG", options: { dpi: "72", pages: "2" } });
    expect(plan).toMatchObject({ from: "docx", to: "png", lane: "office", maxInputMb: 100, fidelity: Fidelity.REDUCED });
    expect(plan.hops.map(({ engine, from, to }) => `${engine}:${from}>${to}`)).toEqual(["libreoffice:docx>pdf", "poppler:pdf>png"]);
    expect(plan.hops[0]?.options.pages?.value).toEqual({ case: "number", value: 2 });
    expect(plan.hops[1]?.options.dpi?.value).toEqual({ case: "number", value: 72 });
    expect(Object.keys(plan.hops[1]?.options ?? {})).toEqual(["dpi"]);
  });

  it("is rejected for a target that no engine writes", () => {
    expect(failureOf("docx", "nonesuch")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "nonesuch" } });
    expect(failureOf("docx", "mp3")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "mp3" } });
    expect(failureOf("docx", "../../etc")).toMatchObject({ code: "UNSUPPORTED_TARGET" });
  });

  it("is rejected with suggestions for a mistyped format", () => {
    expect(failureOf("docx", "pngg")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "pngg", suggestions: ["png"] } });
    expect(failureOf("dcox", "png")).toMatchObject({ code: "UNSUPPORTED_CONVERSION", details: { from: "dcox", suggestions: ["docx"] } });
    // A correct spelling needs no suggestion.
    expect(failureOf("docx", "dng")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "dng" } });
    expect(failureOf("doc", "png")).not.toHaveProperty("details.suggestions");
  });

  it("is rejected with alternatives for an unsupported pair", () => {
    expect(failureOf("docx", "docx")).toMatchObject({ code: "UNSUPPORTED_TARGET" });
    expect(failureOf("pdf", "odt")).toEqual({ code: "UNSUPPORTED_CONVERSION", details: { from: "pdf", to: "odt", alternatives: ["png"] } });
    expect(failureOf("mp4", "odt")).toEqual({ code: "UNSUPPORTED_CONVERSION", details: { from: "mp4", to: "odt", alternatives: [] } });
    expect(() => catalogue.plan({ from: "one", to: "odt", options: {} })).toThrow(
      "This is OneNote section (one), which no engine here can read.",
    );
    const many = catalogueOf([
      manifestOf("n", {
        e: { hops: Object.fromEntries(formats.slice(0, 60).flatMap(({ id }) => (id === "png" ? [] : [[`png>${id}`, {}]]))) },
      }),
    ]);
    const error = (() => {
      try {
        many.plan({ from: "png", to: "png", options: {} });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: "UNSUPPORTED_TARGET" });
  });

  it("is rejected with at most ten alternatives, the wanted kind and popular formats first", () => {
    const images = formats.filter((row) => row.kind === "image" && row.id !== "png").map((row) => row.id);
    const hops = Object.fromEntries([...images.slice(0, 30).map((id) => [`png>${id}`, {}]), ["docx>pdf", {}], ["png>txt", {}]]);
    const many = catalogueOf([manifestOf("n", { e: { hops } })]);
    try {
      many.plan({ from: "png", to: "pdf", options: {} });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "UNSUPPORTED_CONVERSION", details: { alternatives: expect.any(Array) } });
      const alternatives = error instanceof FilemillError ? error.details?.alternatives : undefined;
      expect(alternatives).toHaveLength(10);
      expect(alternatives).toEqual(expect.arrayContaining(["txt", "jpg", "webp", "gif"]));
      expect(Array.isArray(alternatives) && alternatives[0]).toBe("txt");
    }
  });
});
