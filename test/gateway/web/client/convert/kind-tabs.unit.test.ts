import { expect, it } from "vitest";
import { kindsOf, rowsOf } from "#client/convert/kind-tabs.tsx";

const row = (id: string, kind?: string) => ({ id, format: kind === undefined ? undefined : { kind } });
const pictures = Array.from({ length: 12 }, (_, at) => row(`p${at}`, "image"));

it("shows a tab for each kind in a long list, in order, and none for tasks", () => {
  expect(kindsOf([row("task:join"), row("mp3", "audio"), ...pictures])).toEqual(["audio", "image"]);
});

it("shows no tabs for a single kind or a short list", () => {
  expect(kindsOf(pictures)).toEqual([]);
  expect(kindsOf([row("mp3", "audio"), row("png", "image")])).toEqual([]);
});

it("lists a format once even if it is in two groups", () => {
  expect(rowsOf([row("png", "image"), row("mp3", "audio"), row("gif", "image"), row("png", "image")], "image").map(({ id }) => id)).toEqual(
    [...["png", "gif"]],
  );
});
