import { describe, expect, it } from "vitest";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "#services/conversion/engines/shared/bad-input.ts";

const badInput = [3, /^broken header/m];
const end = (exitCode: number, stderr = "", stdout = ""): SandboxEnd => ({
  ...{ killed: undefined, exitCode, signal: undefined, stdout, stderr, elapsedMs: 1, processorMs: 1, outputBytes: 1e9 },
});
const thrownBy = (ended: SandboxEnd): unknown => {
  try {
    return throwIfFailed(ended, badInput, "The file is damaged.");
  } catch (error) {
    return error;
  }
};

describe("an exit code other than 0", () => {
  it.each([
    ["its number", end(3)],
    ["what it says as an error", end(1, "warning: x\nbroken header")],
    ["what it says otherwise", end(1, "", "broken header\n")],
  ])("tells a bad file by %s", (_by, ended) => {
    expect(thrownBy(ended)).toMatchObject({ code: "INVALID_INPUT", message: "The file is damaged." });
  });

  it("was the file's fault whatever it was; one that nobody knows is a failure of ours", () => {
    expect(thrownBy(end(1, "cannot load font"))).toMatchObject({ code: "CONVERSION_FAILED", kind: "unexplained" });
  });

  it("for want of memory is told as that", () => {
    expect(thrownBy(end(1, "fatal: out of memory\n"))).toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });
});

it("what a tool says when it ends with 0 is not a failure", () => {
  expect(thrownBy(end(0, "broken header"))).toBeUndefined();
});
