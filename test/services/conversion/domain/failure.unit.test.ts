import { describe, expect, it } from "vitest";
import { type ErrorCode, errorTable, FilemillError, isErrorCode } from "#contract/errors.ts";
import { EngineFault, EntryFailed, failureOf, nameless } from "#services/conversion/domain/failure.ts";

describe("failures", () => {
  it("are tried again only when the fault may be ours", () => {
    const codes = Object.keys(errorTable).filter(isErrorCode);
    const retried = codes.filter((code: ErrorCode) => failureOf(new FilemillError(code, "x")).retryable);
    expect(retried.toSorted()).toEqual(["INTERNAL", "OVERLOADED", "UNAVAILABLE"]);
  });

  it("of an engine that crashed or was ended from outside are tried again, and no others of engines", () => {
    const kinds = (["unexplained", "crashed", "lost"] as const).filter((kind) => failureOf(new EngineFault(kind, "SIGSEGV")).retryable);
    expect(kinds).toEqual(["crashed", "lost"]);
  });

  it("of one file of several name it to its owner and not to the log, and are as any other", () => {
    const failed = new EntryFailed("letter.pdf", new EngineFault("crashed", "SIGSEGV"));
    const { error, retryable } = failureOf(failed);
    expect([error.code, error.message.startsWith("letter.pdf: "), retryable]).toEqual(["CONVERSION_FAILED", true, true]);
    expect(JSON.stringify(Object.entries(Object(nameless(failed))))).not.toContain("letter");
    expect(String(nameless(failed))).not.toContain("letter");
  });

  it.each(["unexplained", "crashed", "lost"] as const)("of an engine (%s) say in one sentence what to do, and not how it ended", (kind) => {
    const { error } = failureOf(new EngineFault(kind, "SIGSEGV"));
    expect(error.code).toBe("CONVERSION_FAILED");
    expect(error.message).toMatch(/^[A-Z][^.]*try (?:another target format|again later)\.$/);
    expect(error.message).not.toContain("SIGSEGV");
  });

  it.each(["ENOSPC", "EMFILE", "ENOMEM", "EDQUOT"])("of a host that is short (%s) are tried again as UNAVAILABLE", (code) => {
    const failure = failureOf(Object.assign(new Error("write failed on /secret/path"), { code }));
    expect(failure).toMatchObject({ retryable: true, unexpected: true, error: { code: "UNAVAILABLE" } });
    expect(failure.error.message).not.toContain("/");
  });

  it.each([new TypeError("x is undefined in /secret/path"), "text", undefined, { code: 7 }])(
    "that nobody foresaw (%s) are INTERNAL",
    (thrown) => {
      const failure = failureOf(thrown);
      expect(failure).toMatchObject({ retryable: true, unexpected: true, error: { code: "INTERNAL" } });
      expect(failure.error.message).not.toContain("/");
    },
  );
});
