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
  processorMs: 1,
  outputBytes: 1e9,
};
const bySignal = (signal: string, stderr = ""): SandboxEnd => ({ ...ended, exitCode: undefined, signal, stderr });

describe("a process that", () => {
  it.each([0, 1, 128, 251])("exits with %i has no failure beyond what its engine makes of it", (exitCode) => {
    expect(failureOfEnd({ ...ended, exitCode })).toBeUndefined();
  });

  it.each(["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS"])("dies of %s has crashed", (signal) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code: "CONVERSION_FAILED", kind: "crashed" });
  });

  it.each(["SIGKILL", "SIGTERM", "SIGHUP"])("is ended by %s was killed from outside", (signal) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code: "CONVERSION_FAILED", kind: "lost" });
  });

  it.each([
    ["/usr/bin/ffmpeg", 255],
    ["/usr/bin/convert-im6.q16", 15],
  ])("(%s) handles SIGTERM and exits with %i was killed from outside", (program, exitCode) => {
    expect(failureOfStop(program, { exitCode })).toMatchObject({ code: "CONVERSION_FAILED", kind: "lost" });
    expect(failureOfStop(program, { exitCode: 1 })).toBeUndefined();
    expect(failureOfStop("/usr/bin/pandoc", { exitCode })).toBeUndefined();
  });

  it("was warm and crashes counts as lost, since an earlier job may be the cause", () => {
    expect(failureOfEnd(bySignal("SIGSEGV"), true)).toMatchObject({ kind: "lost" });
  });

  it.each([
    ["timeout", "CONVERSION_TIMEOUT"],
    ["processor", "CONVERSION_TIMEOUT"],
    ["memory", "INPUT_TOO_COMPLEX"],
    ["folder", "INPUT_TOO_COMPLEX"],
    ["aborted", "UNAVAILABLE"],
  ] as const)("we killed for %s is reported as such, not as a crash", (killed, code) => {
    const failure = failureOfEnd({ ...bySignal("SIGKILL"), killed });
    expect(failure).toMatchObject({ code });
    expect(failure).not.toBeInstanceOf(EngineFault);
  });

  it.each([
    ["SIGXCPU", "CONVERSION_TIMEOUT"],
    ["SIGXFSZ", "INPUT_TOO_COMPLEX"],
  ])("hits the kernel limit signalled by %s has not crashed", (signal, code) => {
    expect(failureOfEnd(bySignal(signal))).toMatchObject({ code });
  });

  it.each(["terminate called after throwing an instance of 'std::bad_alloc'", "FATAL ERROR: JavaScript heap out of memory"])(
    "aborts when out of memory is INPUT_TOO_COMPLEX: %s",
    (said) => {
      expect(failureOfEnd(bySignal("SIGABRT", said))).toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    },
  );
});
