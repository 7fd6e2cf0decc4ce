/** Options as one line each: name, what it accepts, description, and the rest by name. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { numberList } from "#services/conversion/domain/parts.ts";

/** Pages by their numbers. */
export function pagesOption(purpose: string): OptionDefinition {
  return matching("pages", numberList, `${purpose}, for example \`1-3,7\``);
}

type Range = readonly [min: number, max: number];
type More = { readonly unit?: string; readonly default?: number };

/** Text of a fixed form. `pattern`: a regular expression for the whole value. */
export function matching(name: string, pattern: string, description: string, unset?: string): OptionDefinition {
  return { name, type: "string", pattern, description, ...(unset === undefined ? {} : { default: unset }) };
}

/** `of`: what is cropped. */
export function cropOption(of = ""): OptionDefinition {
  const description = `Crop before any other change, as width x height + left + top in pixels${of}: \`640x480+10+20\``;
  return matching("crop", "^[0-9]{1,5}x[0-9]{1,5}\\+[0-9]{1,5}\\+[0-9]{1,5}$", description);
}

/** `unset`: the value that applies if none is given, if it is one of them. */
export function oneOf<V extends string>(name: string, values: readonly V[], description: string, unset?: NoInfer<V>): OptionDefinition {
  return { name, type: "enum", values, description, ...(unset === undefined ? {} : { default: unset }) };
}

export const integerIn = (name: string, [min, max]: Range, description: string, more: More = {}) =>
  ({ name, type: "integer", min, max, description, ...more }) as const satisfies OptionDefinition;

export const decimalIn = (name: string, [min, max]: Range, description: string, more: More = {}) =>
  ({ name, type: "number", min, max, description, ...more }) as const satisfies OptionDefinition;

export function yesOrNo(name: string, description: string, more: { readonly default?: boolean } = {}): OptionDefinition {
  return { name, type: "boolean", description, ...more };
}
