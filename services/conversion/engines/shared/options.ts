/** Options as one line each: name, what it accepts, description, and the rest by name. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { numberList } from "#services/conversion/domain/parts.ts";

/** Pages by their numbers. */
export function pagesOption(purpose: string): OptionDefinition {
  return { name: "pages", type: "string", pattern: numberList, description: `${purpose}, for example \`1-3,7\`` };
}

type Range = readonly [min: number, max: number];
type More = { readonly unit?: string; readonly default?: number };

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
