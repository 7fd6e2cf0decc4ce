/** Arbitrary option values from clients, from the query string to the engine. */

import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { parseQuery } from "#gateway/http/query.ts";
import { ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { catalogueOf } from "#services/catalogue/index.ts";
import type { Engine, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { engineManifestOf, hopOptionsOf } from "#services/conversion/domain/manifest.ts";
import { engines } from "#services/conversion/engines/registry.ts";

/** Engines that receive options as JSON, not on a command line. */
const withoutCommandLine = new Set(["sharp", "data", "subtitle", "mail", "libreoffice", "chromium"]);

/** Free text that no program interprets: passed in one argument after `--name=`, or in JSON or SVG. */
const words = new Set([
  ...["calibre title", "calibre author", "fonttools text"],
  ...["stamp", "title", "author", "subject", "keywords"].map((name) => `pdf-change ${name}`),
]);

/** Each declared option, once. */
const declared = [
  ...new Map(
    engines.flatMap((engine) =>
      engine.hops.flatMap((hop) =>
        hop.options.map((option) => [`${engine.id} ${JSON.stringify(option)}`, { engine, hop, option }] as const),
      ),
    ),
  ).values(),
];

const injections = [
  ...[
    "-rf",
    "--help",
    "-o/tmp/x",
    "@/etc/passwd",
    "|id",
    "$(id)",
    "`id`",
    ";id",
    "a\nb",
    "a\0b",
    "../../etc/passwd",
    "/etc/passwd",
    "%d",
    "file:///x",
  ],
  ...[
    "1e3",
    "0x10",
    "+1",
    " 1",
    "1 ",
    "1,5",
    "NaN",
    "Infinity",
    "-0",
    "00",
    "١",
    "9".repeat(400),
    "true\n",
    "TRUE",
    "",
    "a".repeat(5000),
    "\u202e",
    "__proto__",
  ],
];

function near(option: OptionDefinition): fc.Arbitrary<string> {
  switch (option.type) {
    case "integer":
    case "number":
      return fc.oneof(
        fc.double({ min: option.min - 10, max: option.max + 10, noNaN: true }).map(String),
        fc.integer({ min: Math.floor(option.min) - 2, max: Math.ceil(option.max) + 2 }).map(String),
        fc.constantFrom(String(option.min), String(option.max)),
      );
    case "boolean":
      return fc.constantFrom("true", "false", "0", "1", "yes", "False");
    case "enum":
      return fc.constantFrom(
        ...option.values,
        ...option.values.map((value) => ` ${value}`),
        ...option.values.map((value) => value.toUpperCase()),
      );
    case "string":
      return fc
        .stringMatching(new RegExp(option.pattern))
        .chain((good) => fc.constantFrom(good, `${good}\n`, `-${good}`, `${good} -o /tmp/x`, `\n${good}`));
    default:
      return option satisfies never;
  }
}

const anything = (option: OptionDefinition): fc.Arbitrary<string> =>
  fc.oneof(
    near(option),
    fc.constantFrom(...injections),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: "binary-ascii", maxLength: 40 }),
  );

/** What the engine receives, or the code of the rejection. */
function givenBy(engine: Engine, hop: Hop, option: OptionDefinition, text: string): { value: unknown } | { code: string } {
  const query = parseQuery(`/api/v1/convert?${option.name}=${encodeURIComponent(text)}`);
  const manifest = create(ManifestSchema, { node: "n", engines: [engineManifestOf({ ...engine, hops: [hop] }, "1")] });
  try {
    const plan = catalogueOf([manifest]).plan({ from: hop.from, to: hop.to, options: Object.fromEntries(query) });
    const [planned] = plan.hops;
    return { value: planned === undefined ? undefined : hopOptionsOf(planned, hop)[option.name] };
  } catch (error) {
    if (error instanceof FilemillError) return { code: error.code };
    throw error;
  }
}

function isInRange(option: OptionDefinition, value: unknown): boolean {
  switch (option.type) {
    case "integer":
      return Number.isInteger(value) && Number(value) >= option.min && Number(value) <= option.max;
    case "number":
      return Number.isFinite(value) && Number(value) >= option.min && Number(value) <= option.max;
    case "boolean":
      return typeof value === "boolean";
    case "enum":
      return option.values.includes(String(value));
    case "string":
      return (
        typeof value === "string" && value.length <= 1024 && new RegExp(`^(?:${option.pattern})$`).test(value) && !value.endsWith("\n")
      );
    default:
      return option satisfies never;
  }
}

describe("any text as an option value", () => {
  it.each(declared.map((each) => [`${each.engine.id} ${each.hop.from} to ${each.hop.to}: ${each.option.name}`, each] as const))(
    "is rejected or within the declared range: %s",
    (_name, { engine, hop, option }) => {
      fc.assert(
        fc.property(anything(option), (text) => {
          const got = givenBy(engine, hop, option, text);
          if ("code" in got) expect(got.code).toBe("INVALID_OPTION");
          else expect({ text, inRange: isInRange(option, got.value) }).toEqual({ text, inRange: true });
        }),
        { numRuns: 60 },
      );
    },
  );

  const texts = declared.filter(({ engine, option }) => option.type === "string" && !withoutCommandLine.has(engine.id));
  it.each(texts.map((each) => [`${each.engine.id} ${each.option.name}`, each.option] as const))(
    "is never another argument, a file or a pipe to a tool: %s",
    (name, option) => {
      if (option.type !== "string") return;
      const hostile = words.has(name) ? /[\0\r\n]/ : /^[-@|+]|\.\.|[\0\r\n/\\`$|;<>&"']/;
      const pattern = new RegExp(`^(?:${option.pattern})$`);
      fc.assert(
        fc.property(anything(option), (text) => {
          if (pattern.test(text)) expect(text).not.toMatch(hostile);
        }),
        { numRuns: 300 },
      );
    },
  );
});
