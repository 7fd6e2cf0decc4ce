/** Tasks that people have, and the conversion and options that fulfil them, by the file's format. */
import type { Option, Route } from "#client/server/wire.ts";
import type { Choices } from "./items.ts";

/** A target with options. `own` means the file's own format. */
type Way = readonly [to: string, options: Choices];

const papers = ["document", "spreadsheet", "presentation", "ebook", "email", "diagram"];
const pictures = ["image", "vector"];
const every = [...papers, ...pictures, "audio", "video", "font", "subtitle"];

/** In the order in which they are offered. The first way that the file's format supports is used. */
const table = {
  smaller: [
    every,
    [
      ["own", { optimise: "ebook" }],
      ["own", { quality: 60 }],
      ["own", { crf: 30 }],
      ["own", { audioBitrate: 96 }],
      ["own", { colours: 64 }],
    ],
  ],
  resize: [every, [["own", { width: 1280 }]]],
  turn: [every, [["own", { rotate: "90" }]]],
  cut: [every, [["own", { duration: 30 }]]],
  protect: [every, [["own", { protect: true }]]],
  readable: [
    [...papers, ...pictures],
    [
      ["txt", { ocr: "auto" }],
      ["txt", {}],
    ],
  ],
  sound: [["video"], [["mp3", {}]]],
  email: [
    every,
    [
      ["own", { optimise: "screen" }],
      ["jpg", { quality: 75, width: 1600 }],
      ["mp4", { maxMb: 20 }],
      ["mp4", { crf: 30, width: 1280 }],
      ["mp3", { audioBitrate: 128 }],
      ["pdf", {}],
    ],
  ],
  print: [
    [...papers, ...pictures],
    [
      ["pdf", { optimise: "print" }],
      ["pdf", { pageSize: "a4" }],
      ["pdf", {}],
    ],
  ],
  web: [
    every,
    [
      ["own", { linearise: true }],
      ["webp", { width: 1920 }],
      ["mp4", { crf: 28, width: 1280 }],
      ["mp3", { audioBitrate: 128 }],
      ["woff2", {}],
      ["vtt", {}],
      ["html", {}],
    ],
  ],
} as const satisfies Readonly<Record<string, readonly [kinds: readonly string[], ways: readonly Way[]]>>;

export type TaskName = keyof typeof table;
export type Task = { readonly name: TaskName; readonly to: string; readonly options: Choices };

export const taskNames = Object.keys(table) as TaskName[];

/** The tasks that are possible with these conversions for a file of this kind. */
export function tasksOf(routes: readonly Route[], kind: string): readonly Task[] {
  return taskNames.flatMap((name): Task[] => {
    const kinds: readonly string[] = table[name][0];
    const ways: readonly Way[] = table[name][1];
    if (!kinds.includes(kind)) return [];
    for (const [to, options] of ways) {
      const route = routes.find((each) => each.to === (to === "own" ? each.from : to));
      if (route !== undefined && takes(route, options)) return [{ name, to: route.to, options }];
    }
    return [];
  });
}

/** True if a conversion has these options and accepts their values. */
export function takes(route: Route, options: Choices): boolean {
  return Object.entries(options).every(([name, value]) => {
    const option = route.options.find((each) => each.name === name);
    return option !== undefined && allows(option, value);
  });
}

function allows({ type, values, min, max }: Option, value: string | number | boolean): boolean {
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "enum":
      return values?.includes(String(value)) ?? false;
    case "string":
      return typeof value === "string";
    default:
      return typeof value === "number" && value >= (min ?? value) && value <= (max ?? value);
  }
}
