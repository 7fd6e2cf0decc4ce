/** Checks the raw option values of a query against the options that the route declares. */
import { create } from "@bufbuild/protobuf";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { type Option, Option_Type, type OptionValue, OptionValueSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { didYouMean, nearestNames, suggestionsOf } from "#kit/nearest-names.ts";
import { type FoundRoute, optionsOf } from "./planner.ts";

export type HopOptions = Record<string, OptionValue>;

/**
 * The values for each hop of the route. Options that were not given are left out.
 *
 * @throws FilemillError INVALID_OPTION with `option` and `allowed`: the route's options if it does not have this one, otherwise the values
 * that it accepts.
 */
export function parseOptions(route: FoundRoute, raw: Readonly<Record<string, string>>): readonly HopOptions[] {
  const perHop: HopOptions[] = route.hops.map(() => ({}));
  const names = Object.keys(raw);
  if (names.length === 0) return perHop;
  const declared = optionsOf(route);
  for (const name of names) {
    const found = declared.get(name);
    if (found === undefined) throw unknownOption(name, [...declared.keys()].sort(), route);
    const target = perHop[found.hop];
    if (target !== undefined) target[name] = parseValue(found.option, raw[name] ?? "");
  }
  return perHop;
}

function unknownOption(option: string, allowed: readonly string[], { from, to }: FoundRoute): FilemillError {
  const near = nearestNames(option, allowed);
  const has = allowed.length === 0 ? "has none" : `has ${allowed.join(", ")}`;
  const message = `There is no option "${option.slice(0, 64)}" from ${from} to ${to}${didYouMean(near, `; this conversion ${has}.`)}`;
  return new FilemillError("INVALID_OPTION", message, {
    details: { option: option.slice(0, 64), allowed: [...allowed], ...suggestionsOf(near) },
  });
}

function parseValue(option: Option, text: string): OptionValue {
  const value = parsedValue(option, text);
  if (value === undefined) {
    const { words, details } = allowedOf(option);
    throw invalidOption(option.name, `The option ${option.name} must be ${words}.`, details);
  }
  return create(OptionValueSchema, { value });
}

/** Strictly decimal: no exponent, no sign except minus, no spaces. */
const integerText = /^-?\d{1,15}$/;
const numberText = /^-?\d{1,15}(\.\d{1,15})?$/;
const maxTextLength = 1024;

function parsedValue(option: Option, text: string): OptionValue["value"] | undefined {
  switch (option.type) {
    case Option_Type.INTEGER:
      return integerText.test(text) && isInRange(option, Number(text)) ? { case: "number", value: Number(text) } : undefined;
    case Option_Type.NUMBER:
      return numberText.test(text) && isInRange(option, Number(text)) ? { case: "number", value: Number(text) } : undefined;
    case Option_Type.BOOLEAN:
      return /^(true|false|1|0)$/.test(text) ? { case: "flag", value: text === "true" || text === "1" } : undefined;
    case Option_Type.ENUM:
      return option.values.includes(text) ? { case: "text", value: text } : undefined;
    case Option_Type.STRING:
      return isMatch(option, text) ? { case: "text", value: text } : undefined;
    default:
      return undefined;
  }
}

function isInRange({ min, max }: Option, value: number): boolean {
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity);
}

function isMatch(option: Option, text: string): boolean {
  if (text.length > maxTextLength) return false;
  return option.pattern === "" || new RegExp(`^(?:${option.pattern})$`).test(text);
}

type Allowed = { readonly words: string; readonly details: string | string[] | { min?: number; max?: number; type: string } };

function allowedOf(option: Option): Allowed {
  switch (option.type) {
    case Option_Type.INTEGER:
    case Option_Type.NUMBER: {
      const type = option.type === Option_Type.INTEGER ? "integer" : "number";
      const { min, max } = option;
      const range = min === undefined ? "" : ` from ${min} to ${max ?? "any"}`;
      const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
      return { words: `${type === "integer" ? "an integer" : "a decimal number"}${range}`, details: { type, ...bounds } };
    }
    case Option_Type.BOOLEAN:
      return { words: "true or false", details: ["true", "false"] };
    case Option_Type.ENUM:
      return { words: `one of ${option.values.join(", ")}`, details: [...option.values] };
    case Option_Type.STRING:
      return { words: `text that matches ${option.pattern}`, details: option.pattern };
    default:
      return { words: "left out", details: [] };
  }
}
