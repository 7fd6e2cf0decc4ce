import { describe, expect, it } from "vitest";
import { formats } from "#formats/index.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { FilemillError } from "#kit/errors.ts";
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

describe("the list", () => {
  it("has the formats of its routes and no other, in order", () => {
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

  it("tells of a composed route what its hops have together", () => {
    const route = catalogue.list().routes.find((found) => found.to === "png" && found.from === "docx");
    expect(route).toMatchObject({
      via: ["pdf"],
      engines: ["libreoffice", "poppler"],
      fidelity: Fidelity.REDUCED,
      async: false,
      maxInputMb: 100,
    });
    expect(route?.options.map((option) => option.name)).toEqual(["pages", "dpi"]);
  });

  it("is built once", () => expect(catalogue.list()).toBe(catalogue.list()));

  it("has a revision that follows the content alone", () => {
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

describe("a plan", () => {
  it("has each hop's options", () => {
    const plan = catalogue.plan({ from: "docx", to: ".PNG", options: { dpi: "72", pages: "2" } });
    expect(plan).toMatchObject({ from: "docx", to: "png", lane: "office", maxInputMb: 100, fidelity: Fidelity.REDUCED });
    expect(plan.hops.map(({ engine, from, to }) => `${engine}:${from}>${to}`)).toEqual(["libreoffice:docx>pdf", "poppler:pdf>png"]);
    expect(plan.hops[0]?.options.pages?.value).toEqual({ case: "number", value: 2 });
    expect(plan.hops[1]?.options.dpi?.value).toEqual({ case: "number", value: 72 });
    expect(Object.keys(plan.hops[1]?.options ?? {})).toEqual(["dpi"]);
  });

  it("is refused for a target that nothing here writes", () => {
    expect(failureOf("docx", "nonesuch")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "nonesuch" } });
    expect(failureOf("docx", "mp3")).toEqual({ code: "UNSUPPORTED_TARGET", details: { to: "mp3" } });
    expect(failureOf("docx", "../../etc")).toMatchObject({ code: "UNSUPPORTED_TARGET" });
  });

  it("is refused with alternatives, the wanted kind and the popular first", () => {
    expect(failureOf("docx", "docx")).toMatchObject({ code: "UNSUPPORTED_TARGET" });
    expect(failureOf("pdf", "odt")).toEqual({ code: "UNSUPPORTED_CONVERSION", details: { from: "pdf", to: "odt", alternatives: ["png"] } });
    expect(failureOf("mp4", "odt")).toEqual({ code: "UNSUPPORTED_CONVERSION", details: { from: "mp4", to: "odt", alternatives: [] } });
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

  it("names at most ten alternatives", () => {
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
