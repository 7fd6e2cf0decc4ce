import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { Option_Type, OptionSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { graphOf } from "#services/catalogue/domain/graph.ts";
import { parseOptions } from "#services/catalogue/domain/options.ts";
import { type FoundRoute, routesOf } from "#services/catalogue/domain/planner.ts";
import { integerOption, manifestOf } from "./manifests.ts";

const options = [
  integerOption("width", 1, 16_000),
  create(OptionSchema, { name: "speed", type: Option_Type.NUMBER, min: -1.5, max: 4 }),
  create(OptionSchema, { name: "lossless", type: Option_Type.BOOLEAN }),
  create(OptionSchema, { name: "fit", type: Option_Type.ENUM, values: ["inside", "cover"] }),
  create(OptionSchema, { name: "background", type: Option_Type.STRING, pattern: "#[0-9a-f]{6}" }),
];
const engines = {
  lo: { hops: { "docx>pdf": { options: [integerOption("pages", 1, 9), integerOption("width", 1, 5)] } } },
  pop: { hops: { "pdf>png": { options } } },
};
const route = routesOf(graphOf([manifestOf("n", engines)]))
  .get("docx")
  ?.get("png") as FoundRoute;

function refusal(raw: Record<string, string>): unknown {
  try {
    parseOptions(route, raw);
  } catch (error) {
    return error instanceof FilemillError ? { code: error.code, ...error.details } : error;
  }
  return "accepted";
}

describe("option values", () => {
  it.each([
    ["width", "640", { case: "number", value: 640 }],
    ["width", "1", { case: "number", value: 1 }],
    ["width", "16000", { case: "number", value: 16_000 }],
    ["speed", "-1.5", { case: "number", value: -1.5 }],
    ["speed", "2", { case: "number", value: 2 }],
    ["lossless", "true", { case: "flag", value: true }],
    ["lossless", "1", { case: "flag", value: true }],
    ["lossless", "0", { case: "flag", value: false }],
    ["lossless", "false", { case: "flag", value: false }],
    ["fit", "cover", { case: "text", value: "cover" }],
    ["background", "#ff00aa", { case: "text", value: "#ff00aa" }],
  ])("%s=%s", (name, text, value) => {
    const [first, second] = parseOptions(route, { [name]: text });
    expect(first).toEqual({});
    expect(second?.[name]?.value).toEqual(value);
  });

  it("are assigned to the hop that declares them", () => {
    const [first, second] = parseOptions(route, { pages: "3", width: "700" });
    expect(Object.keys(first ?? {})).toEqual(["pages"]);
    expect(Object.keys(second ?? {})).toEqual(["width"]);
  });
});

describe("rejections", () => {
  it.each([
    [
      "width",
      ["0", "16001", "1.5", "1e3", "0x10", " 5", "5 ", "+5", "", "NaN", "Infinity", "١٢", "5\n", "9".repeat(400)],
      { type: "integer", min: 1, max: 16_000 },
    ],
    ["speed", ["4.01", "-2", ".5", "1.", "1,5", "1e0", "--1"], { type: "number", min: -1.5, max: 4 }],
    ["lossless", ["yes", "TRUE", "", "2", "on"], ["true", "false"]],
    ["fit", ["Cover", "", "inside,cover"], ["inside", "cover"]],
    ["background", ["#ff00aaa", "x#ff00aa", "red", "", "#ff00aa\n"], "#[0-9a-f]{6}"],
  ])("of %s", (option, texts, allowed) => {
    for (const text of texts) expect(refusal({ [option]: text }), text).toEqual({ code: "INVALID_OPTION", option, allowed });
  });

  it.each(["nosuch", "__proto__", "constructor", ""])("of the unknown option %j", (option) => {
    const raw = Object.fromEntries([[option, "1"]]);
    expect(refusal(raw)).toEqual({ code: "INVALID_OPTION", option, allowed: ["background", "fit", "lossless", "pages", "speed", "width"] });
  });
});

it("names the option that is unknown, because a request may have several", () => {
  expect(() => parseOptions(route, { width: "5", widht: "5" })).toThrow(/^There is no option "widht" from .* did you mean width\?$/);
});

it("suggests the right option for a mistyped one", () => {
  expect(refusal({ widht: "5" })).toMatchObject({ code: "INVALID_OPTION", suggestions: ["width"] });
  expect(refusal({ Width: "5" })).toMatchObject({ code: "INVALID_OPTION", suggestions: ["width"] });
  expect(refusal({ colour: "red" })).not.toHaveProperty("suggestions");
});

it("accepts exactly the integers in range", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -20, max: 17_000 }).map(String), fc.string()), (text) => {
      const isFine = /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 16_000 && text.length <= 15;
      expect(refusal({ width: text }) === "accepted").toBe(isFine);
    }),
  );
});
