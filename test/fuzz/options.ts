/** Values for the options of a hop: mostly valid, sometimes odd. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import type { Dice } from "./mutate.ts";

const odd = ["", "-1", "--help", "@/etc/passwd", "1e9", "NaN", "../x", "a b", "\u0000", "9999999999", "|id"] as const;

export function optionsFor(declared: readonly OptionDefinition[], dice: Dice): Readonly<Record<string, string>> {
  const chosen = declared.filter(() => dice.below(3) === 0);
  return Object.fromEntries(chosen.map((option) => [option.name, dice.below(20) === 0 ? dice.pick(odd) : goodValue(option, dice)]));
}

function goodValue(option: OptionDefinition, dice: Dice): string {
  switch (option.type) {
    case "integer":
      return String(option.min + dice.below(option.max - option.min + 1));
    case "number":
      return (option.min + ((option.max - option.min) * dice.below(1001)) / 1000).toFixed(3);
    case "boolean":
      return dice.pick(["true", "false"]);
    case "enum":
      return option.values[dice.below(option.values.length)] ?? "";
    case "string":
      return option.default ?? dice.pick(["1", "eng", "a", "ffffff", "0:01", "1-2"]);
    default:
      return option satisfies never;
  }
}
