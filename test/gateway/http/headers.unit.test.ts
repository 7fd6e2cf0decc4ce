import { expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { encodingOf, prefersProblem } from "#gateway/http/accept.ts";
import { baseUrlOf } from "#gateway/http/base-url.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { headerJsonOf, retryAfterOf } from "#gateway/http/headers.ts";
import { requestIdOf } from "#gateway/http/request-id.ts";
import { ifRangeHolds, noneMatchHits } from "#gateway/http/validators.ts";

it.each([
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["application/problem+json", true],
  ["application/json;q=0.5, application/problem+json", true],
  ["application/json, application/problem+json;q=0.5", false],
  ["Application/Problem+JSON", true],
  ["application/problem+json;q=0", false],
])("takes Accept: %s as a preference for problem+json: %s", (accept, wanted) => {
  expect(prefersProblem(accept)).toBe(wanted);
});

it.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.1, gzip", "gzip"],
  ["br;q=0, gzip;q=0", "identity"],
  ["*", "br"],
  ["*;q=0.5, br;q=0", "gzip"],
])("answers Accept-Encoding: %s with %s", (accept, encoding) => {
  expect(encodingOf(accept)).toBe(encoding);
});

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  [undefined, false],
])("compares If-None-Match: %s weakly", (header, hit) => {
  expect(noneMatchHits(header, '"a"')).toBe(hit);
});

it.each([
  [undefined, true],
  ['"a"', true],
  ['W/"a"', false],
  ['"b"', false],
  ["Wed, 21 Oct 2026 07:28:00 GMT", false],
])("compares If-Range: %s strongly", (header, holds) => {
  expect(ifRangeHolds(header, '"a"')).toBe(holds);
});

it.each(["localhost:8080", "example.org", "[::1]:8080", "10.0.0.1", "my_host"])("builds URLs from Host: %s", (host) => {
  expect(baseUrlOf(undefined, [host])).toBe(`http://${host}`);
});

it.each([undefined, "", "a/b", "a b", "a@b", "a:port", "[::1", "a\\b", "é", "x".repeat(300), "a:123456"])("rejects Host: %s", (host) => {
  expect(() => baseUrlOf(undefined, host === undefined ? undefined : [host])).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  expect(baseUrlOf("https://files.example", [host ?? ""])).toBe("https://files.example");
});

it("keeps only well-formed request ids", () => {
  expect(requestIdOf("a.B_9-")).toBe("a.B_9-");
  for (const id of [undefined, "", "a b", "x".repeat(129), "a\nb", "é"]) expect(requestIdOf(id)).toMatch(/^[0-9a-f-]{36}$/);
});

it("rounds Retry-After up and caps it", () => {
  expect([undefined, 0, 1, 1001, 1e9].map(retryAfterOf)).toEqual(["1", "1", "1", "2", "3600"]);
});

it("encodes JSON for use in a header", () => {
  const value = [{ message: "Größe \u{1f600}\n" }];
  expect(headerJsonOf(value)).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(headerJsonOf(value))).toEqual(value);
});

it("writes an error as JSON and as a problem", () => {
  const error = new FilemillError("UNSUPPORTED_CONVERSION", "Choose another target.", { details: { from: "a", to: "b" } });
  const context = { requestId: "r", path: "/api/v1/convert", baseUrl: "https://files.example" };
  expect(errorAnswerOf(error, { ...context, problem: false })).toEqual({
    status: 422,
    headers: { "content-type": "application/json", "x-error": "UNSUPPORTED_CONVERSION: Choose another target." },
    body: '{"error":{"code":"UNSUPPORTED_CONVERSION","message":"Choose another target.","requestId":"r","details":{"from":"a","to":"b"}}}',
  });
  const problem = errorAnswerOf(error, { ...context, problem: true });
  expect(problem.headers["content-type"]).toBe("application/problem+json");
  const exotic = errorAnswerOf(new FilemillError("BAD_REQUEST", `Write \`?a=…\`, not "é\r\nx: y"${"z".repeat(2000)}`), {
    ...context,
    problem: false,
  });
  expect(exotic.headers["x-error"]).toMatch(/^BAD_REQUEST: Write `\?a=\.\.\.`, not "\?\?\?x: y"z+$/);
  expect(exotic.headers["x-error"]).toHaveLength(1000);
  expect(JSON.parse(problem.body)).toEqual({
    type: "https://files.example/docs/errors#UNSUPPORTED_CONVERSION",
    title: "Unprocessable Entity",
    status: 422,
    detail: "Choose another target.",
    instance: "/api/v1/convert",
    code: "UNSUPPORTED_CONVERSION",
    requestId: "r",
    details: { from: "a", to: "b" },
  });
});
