/** `GET /api/v1/formats` of a whole deployment, checked against the specification and the contract. */
import { beforeAll, expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";

type Option = Readonly<Record<string, unknown>> & { readonly type: string; readonly default: unknown; readonly values?: readonly string[] };
type Conversion = Readonly<Record<string, unknown>> & { readonly from: string; readonly to: string; readonly options: readonly Option[] };
type Catalogue = { readonly formats: readonly Readonly<Record<string, unknown>>[]; readonly conversions: readonly Conversion[] };

const server = opened(startServer);
let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = JSON.parse(await (await fetch(`${server.url}/api/v1/formats`)).text());
});

const kinds = "image vector document spreadsheet presentation ebook audio video subtitle archive font model data geo email diagram".split(
  " ",
);

/** The distinct sets of members of these objects. */
const shapesOf = (all: readonly object[]): readonly string[] => [...new Set(all.map((each) => Object.keys(each).join(" ")))];

test("formats and conversions have exactly the documented members, in order", () => {
  expect(Object.keys(catalogue)).toEqual(["formats", "conversions"]);
  expect(shapesOf(catalogue.formats)).toEqual(["id label kind extensions mime"]);
  expect(shapesOf(catalogue.conversions)).toEqual(["from to fidelity async maxInputMb options"]);
  expect(catalogue.conversions.length).toBeGreaterThan(1000);
});

test("every member has its documented type, and every enum a documented value", () => {
  for (const { id, label, kind, extensions, mime } of catalogue.formats) {
    expect({ id, label, kind, extensions, mime }).toEqual({
      ...{
        id: expect.stringMatching(/^[a-z0-9]+$/),
        label: expect.stringMatching(/./),
        kind: expect.toSatisfy((word) => kinds.includes(word)),
      },
      ...{ extensions: expect.toSatisfy(isListOfText), mime: expect.stringMatching(/^[a-z]+\/[\w.+-]+/) },
    });
  }
  const odd = catalogue.conversions.filter(
    ({ fidelity, async, maxInputMb }) =>
      !["lossless", "high", "reduced", "extract"].includes(String(fidelity)) ||
      typeof async !== "boolean" ||
      typeof maxInputMb !== "number" ||
      maxInputMb <= 0,
  );
  expect(odd).toEqual([]);
});

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string" && each !== "");
}

test("every conversion is listed once and between listed formats", () => {
  const ids = new Set(catalogue.formats.map(({ id }) => id));
  expect(ids.size).toBe(catalogue.formats.length);
  const pairs = catalogue.conversions.map(({ from, to }) => `${from}>${to}`);
  expect(new Set(pairs).size).toBe(pairs.length);
  expect(catalogue.conversions.filter(({ from, to }) => !(ids.has(from) && ids.has(to)))).toEqual([]);
});

test("every option is described as documented, with a default that it accepts", () => {
  const options = catalogue.conversions.flatMap((conversion) => conversion.options);
  expect(shapesOf(options).filter((shape) => !/^name type default description( min)?( max)?( values)?( unit)?$/.test(shape))).toEqual([]);
  const types: Readonly<Record<string, (value: unknown) => boolean>> = {
    integer: Number.isInteger,
    number: (value) => typeof value === "number",
    string: (value) => typeof value === "string",
    boolean: (value) => typeof value === "boolean",
    enum: (value) => typeof value === "string",
  };
  const odd = options.filter(({ type, values, ...option }) => {
    if ((type === "enum") !== (values !== undefined)) return true;
    if (option.default === null) return false;
    return types[type]?.(option.default) !== true || (values !== undefined && !values.includes(String(option.default)));
  });
  expect(odd.slice(0, 3)).toEqual([]);
});

test("the catalogue is cacheable for an hour, revalidates with 304, and shrinks fifty-fold with Brotli", async () => {
  const headers = { "accept-encoding": "br" };
  const answer = await fetch(`${server.url}/api/v1/formats`, { headers });
  expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
  const etag = answer.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(JSON.parse(await answer.text())).toEqual(catalogue);
  expect((await fetch(`${server.url}/api/v1/formats`, { headers: { ...headers, "if-none-match": etag } })).status).toBe(304);
  const sent = Number(answer.headers.get("content-length"));
  expect(sent).toBeLessThan(JSON.stringify(catalogue).length / 50);
});
