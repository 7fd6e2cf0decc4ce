import { describe, expect, it } from "vitest";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "#services/conversion/engines/shared/bad-input.ts";

const badInput = [3, /^broken header/m];
const end = (exitCode: number, stderr = "", stdout = ""): SandboxEnd => ({
  ...{ killed: undefined, exitCode, signal: undefined, stdout, stderr, processorMs: 1, outputBytes: 1e9 },
});
const thrownBy = (ended: SandboxEnd): unknown => {
  try {
    return throwIfFailed(ended, badInput, "The file is damaged.");
  } catch (error) {
    return error;
  }
};

describe("a non-zero exit code", () => {
  it.each([
    ["its value", end(3)],
    ["stderr", end(1, "warning: x\nbroken header")],
    ["stdout", end(1, "", "broken header\n")],
  ])("means bad input, as shown by %s", (_by, ended) => {
    expect(thrownBy(ended)).toMatchObject({ code: "INVALID_INPUT", message: "The file is damaged." });
  });

  it("is our own failure if it is not a known sign of bad input", () => {
    expect(thrownBy(end(1, "cannot load font"))).toMatchObject({ code: "CONVERSION_FAILED", kind: "unexplained" });
  });

  it("means that the input is too complex if memory ran out", () => {
    expect(thrownBy(end(1, "fatal: out of memory\n"))).toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });
});

it("ignores what a tool prints if it exits with 0", () => {
  expect(thrownBy(end(0, "broken header"))).toBeUndefined();
});
