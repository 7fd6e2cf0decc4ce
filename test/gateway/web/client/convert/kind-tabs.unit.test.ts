import { expect, it } from "vitest";
import { kindsOf, rowsOf } from "#client/convert/kind-tabs.tsx";

const row = (id: string, kind?: string) => ({ id, format: kind === undefined ? undefined : { kind } });
const pictures = Array.from({ length: 12 }, (_, at) => row(`p${at}`, "image"));

it("has a tab for each kind of a long list, in its order, and none for tasks", () => {
  expect(kindsOf([row("task:join"), row("mp3", "audio"), ...pictures])).toEqual(["audio", "image"]);
});

it("has no tabs for one kind, nor for few formats", () => {
  expect(kindsOf(pictures)).toEqual([]);
  expect(kindsOf([row("mp3", "audio"), row("png", "image")])).toEqual([]);
});

it("lists a format once that stands in two groups", () => {
  expect(rowsOf([row("png", "image"), row("mp3", "audio"), row("gif", "image"), row("png", "image")], "image").map(({ id }) => id)).toEqual(
    [...["png", "gif"]],
  );
});
