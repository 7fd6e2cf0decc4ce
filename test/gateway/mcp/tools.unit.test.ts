import { expect, test } from "vitest";
import { type ErrorCode, FilemillError, toConnectError } from "#contract/errors.ts";
import { type ReadOrder, readDocument } from "#gateway/mcp/tools.ts";
import type { JobView, Workbench } from "#gateway/mcp/workbench.ts";

const order: ReadOrder = { offset: 0, max_characters: 1000, wait_seconds: 0 };
const job = (to: string, error: JobView["error"]): JobView => ({
  ...{ id: "j", from: "odd", to, bytes: 1, notes: [], queuePosition: 0, estimateMs: null, error },
  status: error === null ? "done" : "failed",
});

/** Converts only to JSON; other targets are refused with `refuse`. */
function benchThatRefuses(refuse: (to: string) => JobView): { bench: Workbench<string>; asked: string[] } {
  const asked: string[] = [];
  const bench = {
    convert: async (_: string, { to }: { to: string }) => {
      asked.push(to);
      return to === "json" ? job(to, null) : refuse(to);
    },
    readText: async () => ({ text: "[1]", totalBytes: 3, nextOffset: undefined }),
  } as unknown as Workbench<string>;
  return { bench, asked };
}

const error = (code: ErrorCode): FilemillError => new FilemillError(code, "no");
const thrown = (cause: unknown) => (): never => {
  throw cause;
};

test.each([
  ["the service refuses the job", thrown(error("UNSUPPORTED_CONVERSION"))],
  ["a remote service refuses the job", thrown(toConnectError(error("UNSUPPORTED_CONVERSION")))],
  ["the job fails", (to: string) => job(to, { code: "UNSUPPORTED_CONVERSION", message: "no" })],
])("reads a document in the next text format if %s", async (_, refuse) => {
  const { bench, asked } = benchThatRefuses(refuse);
  expect(await readDocument(bench, "file", order, AbortSignal.any([]))).toContain("[1]\n\n[job j, json");
  expect(asked).toEqual(["md", "txt", "json"]);
});

test("reports any other refusal at once", async () => {
  const { bench, asked } = benchThatRefuses(thrown(error("RATE_LIMITED")));
  await expect(readDocument(bench, "file", order, AbortSignal.any([]))).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect(asked).toEqual(["md"]);
});
