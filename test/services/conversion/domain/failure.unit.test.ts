import { describe, expect, it } from "vitest";
import { type ErrorCode, errorTable, FilemillError, isErrorCode } from "#contract/errors.ts";
import { EngineFault, EntryFailed, failureOf, nameless } from "#services/conversion/domain/failure.ts";

describe("failures", () => {
  it("are retried only if the fault may be ours", () => {
    const codes = Object.keys(errorTable).filter(isErrorCode);
    const retried = codes.filter((code: ErrorCode) => failureOf(new FilemillError(code, "x")).retryable);
    expect(retried.toSorted()).toEqual(["INTERNAL", "OVERLOADED", "UNAVAILABLE"]);
  });

  it("of engines are retried only after a crash or an outside kill", () => {
    const kinds = (["unexplained", "crashed", "lost"] as const).filter((kind) => failureOf(new EngineFault(kind, "SIGSEGV")).retryable);
    expect(kinds).toEqual(["crashed", "lost"]);
  });

  it("of one file among several name it to its owner but not in the log", () => {
    const failed = new EntryFailed("letter.pdf", new EngineFault("crashed", "SIGSEGV"));
    const { error, retryable } = failureOf(failed);
    expect([error.code, error.message.startsWith("letter.pdf: "), retryable]).toEqual(["CONVERSION_FAILED", true, true]);
    expect(JSON.stringify(Object.entries(Object(nameless(failed))))).not.toContain("letter");
    expect(String(nameless(failed))).not.toContain("letter");
  });

  it.each(["unexplained", "crashed", "lost"] as const)("of an engine (%s) say in one sentence what to do, not how it ended", (kind) => {
    const { error } = failureOf(new EngineFault(kind, "SIGSEGV"));
    expect(error.code).toBe("CONVERSION_FAILED");
    expect(error.message).toMatch(/^[A-Z][^.]*try (?:another target format|again later)\.$/);
    expect(error.message).not.toContain("SIGSEGV");
  });

  it.each(["ENOSPC", "EMFILE", "ENOMEM", "EDQUOT"])("of a host short of resources (%s) are retried as UNAVAILABLE", (code) => {
    const failure = failureOf(Object.assign(new Error("write failed on /secret/path"), { code }));
    expect(failure).toMatchObject({ retryable: true, unexpected: true, error: { code: "UNAVAILABLE" } });
    expect(failure.error.message).not.toContain("/");
  });

  it.each([new TypeError("x is undefined in /secret/path"), "text", undefined, { code: 7 }])(
    "that are unexpected (%s) are INTERNAL",
    (thrown) => {
      const failure = failureOf(thrown);
      expect(failure).toMatchObject({ retryable: true, unexpected: true, error: { code: "INTERNAL" } });
      expect(failure.error.message).not.toContain("/");
    },
  );
});
