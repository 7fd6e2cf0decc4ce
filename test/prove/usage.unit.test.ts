import { expect, it } from "vitest";
import { requestOf } from "./usage.ts";

it("prints help", () => {
  expect([requestOf(["--help"], 2), requestOf(["-h", "--all"], 2)]).toEqual(["help", "help"]);
});

it("explains invalid arguments in one line", () => {
  for (const args of [
    ["--frob"],
    ["file"],
    ["--sample", "x"],
    ["--at-once", "0"],
    ["--at-once", "65"],
    ["--route", "docx"],
    ["--engine"],
    ["--wild", "/none/such"],
  ]) {
    expect(requestOf(args, 2), args.join(" ")).toMatch(/^[^\n]+$/);
  }
});

it("parses arguments, and defaults to one more conversion at a time than there are cores", () => {
  expect(requestOf(["--all", "--route", "a:b", "--sample", "3"], 2)).toMatchObject({ all: true, route: ["a:b"], sample: 3, atOnce: 3 });
  expect(requestOf(["--own", "--check"], 2)).toMatchObject({ own: true, check: true });
  expect(requestOf(["--wild", import.meta.dirname], 2)).toMatchObject({ wild: import.meta.dirname, check: false });
});
