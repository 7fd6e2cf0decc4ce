import { describe, expect, it } from "vitest";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { failureOfEnd, failureOfStop } from "#services/conversion/domain/process-end.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";

const ended: SandboxEnd = {
  killed: undefined,
  exitCode: 0,
  signal: undefined,
  stdout: "",
  stderr: "",
  elapsedMs: 1,
  processorMs: 1,
  outputBytes: 1e9,
};
const bySignal = (signal: string, stderr = ""): SandboxEnd => ({ ...ended, exitCode: undefined, signal, stderr });

describe("a process that", () => {
  it.each([0, 1, 128, 251])("ended by itself with %i has no failure but what its engine makes of that", (exitCode) => {
    expect(failureOfEnd({ ...ended, exitCode })).toBeUndefined();
  });

  it.each(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS"])("ended itself by %s has crashed", (signal) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code: "CONVERSION_FAILED", kind: "crashed" });
  });

  it.each(["SIGKILL", "SIGTERM", "SIGHUP"])("ended by %s was ended by somebody else", (signal) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code: "CONVERSION_FAILED", kind: "lost" });
  });

  it.each([
    ["/usr/bin/ffmpeg", 255],
    ["/usr/bin/convert-im6.q16", 15],
  ])("(%s) took SIGTERM and ended with %i was ended by somebody else", (program, exitCode) => {
    expect(failureOfStop(program, { exitCode })).toMatchObject({ code: "CONVERSION_FAILED", kind: "lost" });
    expect(failureOfStop(program, { exitCode: 1 })).toBeUndefined();
    expect(failureOfStop("/usr/bin/pandoc", { exitCode })).toBeUndefined();
  });

  it("was warm and crashed is lost, since an earlier job may be the reason", () => {
    expect(failureOfEnd(bySignal("SIGSEGV"), true)).toMatchObject({ kind: "lost" });
  });

  it.each([
    ["timeout", "CONVERSION_TIMEOUT"],
    ["processor", "CONVERSION_TIMEOUT"],
    ["memory", "INPUT_TOO_COMPLEX"],
    ["folder", "INPUT_TOO_COMPLEX"],
    ["aborted", "UNAVAILABLE"],
  ] as const)("was killed by us for %s is told as that, not as a crash", (killed, code) => {
    const failure = failureOfEnd({ ...bySignal("SIGKILL"), killed });
    expect(failure).toMatchObject({ code });
    expect(failure).not.toBeInstanceOf(EngineFault);
  });

  it.each([
    ["SIGXCPU", "CONVERSION_TIMEOUT"],
    ["SIGXFSZ", "INPUT_TOO_COMPLEX"],
  ])("reached the bound that the kernel tells by %s has not crashed", (signal, code) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code });
  });

  it.each(["terminate called after throwing an instance of 'std::bad_alloc'", "FATAL ERROR: JavaScript heap out of memory"])(
    "aborted for want of memory needs too much of it: %s",
    (said) => {
      expect(failureOfEnd(bySignal("SIGABRT", said))).toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    },
  );
});
