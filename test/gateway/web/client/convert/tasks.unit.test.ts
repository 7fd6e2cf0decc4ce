import { expect, it } from "vitest";
import { taskNames, tasksOf } from "#client/convert/tasks.ts";
import type { Option, Route } from "#client/server/wire.ts";
import { formatOf } from "#formats/index.ts";
import { engines } from "#services/conversion/engines/registry.ts";

const hops = engines.flatMap(({ hops }) => hops);

/** The direct conversions from a format, as routes. */
function routesFrom(from: string): Route[] {
  return hops
    .filter((hop) => hop.from === from)
    .map(({ to, options }) => ({ from, to, fidelity: "high", async: false, maxInputMb: 1, options: options as unknown as Option[] }));
}

function tasksFor(from: string): Readonly<Record<string, string>> {
  const tasks = tasksOf(routesFrom(from), formatOf(from)?.kind ?? "");
  return Object.fromEntries(tasks.map(({ name, to, options }) => [name, `${to} ${new URLSearchParams(options as never)}`]));
}

it("maps a task to a conversion with options that suit the file", () => {
  expect(tasksFor("pdf")).toMatchObject({
    ...{ smaller: "pdf optimise=ebook", protect: "pdf protect=true", print: "pdf optimise=print", web: "pdf linearise=true" },
    ...{ readable: "txt ocr=auto", email: "pdf optimise=screen", turn: "pdf rotate=90" },
  });
  expect(tasksFor("jpg")).toMatchObject({
    ...{ smaller: "jpg quality=60", resize: "jpg width=1280", turn: "jpg rotate=90", email: "jpg quality=75&width=1600" },
    ...{ web: "webp width=1920" },
  });
  expect(tasksFor("mp4")).toMatchObject({ sound: "mp3 ", smaller: "mp4 crf=30", email: "mp4 maxMb=20", cut: "mp4 duration=30" });
  expect(tasksFor("docx")).toMatchObject({ smaller: "docx optimise=ebook" });
});

it("offers no task without a route", () => {
  expect(tasksOf([], "image")).toEqual([]);
  expect(tasksFor("zip")).toEqual({});
  expect(Object.keys(tasksFor("mp3"))).not.toContain("sound");
});

it("every task is supported by some engine", () => {
  const done = new Set(["pdf", "jpg", "mp4", "docx"].flatMap((from) => Object.keys(tasksFor(from))));
  expect(taskNames.filter((name) => !done.has(name))).toEqual([]);
});
