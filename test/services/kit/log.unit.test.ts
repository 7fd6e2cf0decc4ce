import { expect, it } from "vitest";
import { openLog } from "#kit/log.ts";

it("writes a field once when an inner log sets it anew", () => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => lines.push(line) });
  log.with({ part: "conversion", node: "a" }).with({ part: "inspector" }).info("some.event", { count: 1 });
  expect(lines.join("")).toMatch(/^\{"level":"info","time":"[^"]+","part":"inspector","node":"a","count":1,"msg":"some\.event"\}\n$/);
});
