import { describe, expect, it } from "vitest";
import { parseYaml } from "#services/conversion/engines/inside/records/yaml.ts";

describe("YAML that is nested too deep", () => {
  const depth = 20_000;

  it.each([
    ["keys that are mappings", "? ".repeat(depth)],
    ["lists in lists", "- ".repeat(depth)],
    ["indented mappings", Array.from({ length: 3000 }, (_, level) => `${" ".repeat(level)}a:\n`).join("")],
    ["brackets", "[".repeat(depth)],
  ])("was called damaged when the reader ran out of stack, and is too complex: %s", (_name, text) => {
    expect(() => parseYaml(text)).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
  });

  it("is not what another error is called", () => {
    expect(() => parseYaml('a: "open')).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
