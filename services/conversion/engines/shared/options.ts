/** Options as one line each: name, what it accepts, description, and the rest by name. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { numberList } from "#services/conversion/domain/parts.ts";

/** Pages by their numbers. */
export function pagesOption(purpose: string): OptionDefinition {
  return { name: "pages", type: "string", pattern: numberList, description: `${purpose}, for example \`1-3,7\`` };
}

type Unit = { readonly unit?: string };

export function oneOf<V extends string>(
  name: string,
  values: readonly V[],
  description: string,
  more: { readonly default?: NoInfer<V> } = {},
): OptionDefinition {
  return { name, type: "enum", values, description, ...more };
}

export function integerIn(
  name: string,
  [min, max]: readonly [number, number],
  description: string,
  more: Unit & { default?: number } = {},
) {
  return { name, type: "integer", min, max, description, ...more } as const satisfies OptionDefinition;
}

export function decimalIn(
  name: string,
  [min, max]: readonly [number, number],
  description: string,
  more: Unit & { default?: number } = {},
) {
  return { name, type: "number", min, max, description, ...more } as const satisfies OptionDefinition;
}

export function yesOrNo(name: string, description: string, more: { readonly default?: boolean } = {}): OptionDefinition {
  return { name, type: "boolean", description, ...more };
}
