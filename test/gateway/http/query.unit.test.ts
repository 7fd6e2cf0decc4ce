import { expect, it } from "vitest";
import { parseQuery } from "#gateway/http/query.ts";

it.each([
  ["/x", []],
  ["/x?", []],
  [
    "/x?a=1&b=two+words&c=%26&d",
    [
      ["a", "1"],
      ["b", "two words"],
      ["c", "&"],
      ["d", ""],
    ],
  ],
  ["/x?a=b=c&&", [["a", "b=c"]]],
  [
    "/x?constructor=1&__proto__=2",
    [
      ["constructor", "1"],
      ["__proto__", "2"],
    ],
  ],
])("parses %s", (url, pairs) => {
  expect([...parseQuery(url)]).toEqual(pairs);
});

it.each([
  "/x?a=1&a=1",
  "/x?a[]=1",
  "/x?a%5Bb%5D=1",
  "/x?=1",
  "/x?a=%",
  "/x?a=%c3%28",
  `/x?${"n".repeat(65)}=1`,
  `/x?${Array.from({ length: 65 }, (_, i) => `a${i}=1`).join("&")}`,
])("rejects %s", (url) => {
  expect(() => parseQuery(url)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
});
