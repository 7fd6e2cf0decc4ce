import { expect, it } from "vitest";
import { searched } from "#client/convert/search.ts";
import { formats } from "#formats/index.ts";
import { type Language, messagesOf } from "#gateway/web/languages.ts";

const rows = formats.map(({ id, label, kind, extensions, mime }) => ({
  id,
  format: { id, label, kind, extensions: [...extensions], mime: mime ?? "", targets: 1, sources: 1 },
}));

async function firstFor(query: string, language: Language, among = rows): Promise<readonly string[]> {
  const messages: Readonly<Record<string, unknown>> = await messagesOf(language);
  const textOf = (key: string): string => String(messages[key] ?? "");
  const vocabulary = { wordsFor: (thing: string) => textOf(`words.${thing}`), kindText: (kind: string) => textOf(`kind.${kind}`) };
  return searched(among, query, vocabulary).map(({ id }) => id);
}

it.each([
  ["jpeg", "jpg"],
  [".JPG", "jpg"],
  ["word", "docx"],
  ["Excel", "xlsx"],
  ["powerpoint", "pptx"],
  ["power", "pptx"],
  ["picture", "jpg"],
  ["photo", "jpg"],
  ["iphone photo", "heic"],
  ["iphone", "heic"],
  ["music", "mp3"],
  ["movie", "mp4"],
  ["kindle", "azw3"],
  ["markdown", "md"],
  ["zip", "zip"],
])("%s finds %s first", async (query, id) => {
  expect((await firstFor(query, "en"))[0]).toBe(id);
});

it.each([
  ["de", "Bild", "jpg"],
  ["de", "musik", "mp3"],
  ["fr", "video", "mp4"],
  ["fr", "vidéo", "mp4"],
  ["pl", "zdjecie", "jpg"],
  ["ru", "таблица", "xlsx"],
  ["ar", "صورة", "jpg"],
  ["hi", "संगीत", "mp3"],
  ["zh", "图片", "jpg"],
  ["ja", "写真", "jpg"],
] as const)("in %s, %s finds %s first", async (language, query, id) => {
  expect((await firstFor(query, language))[0]).toBe(id);
});

it("requires every word of a query to match", async () => {
  expect(await firstFor("jpg video", "en")).toEqual([]);
  expect(await firstFor("qwertz", "en")).toEqual([]);
  expect(await firstFor("jpeg 2000", "en")).toContain("jp2");
});

it("keeps the order of equally good matches", async () => {
  const few = ["webm", "mp4", "mov"].flatMap((id) => rows.filter((row) => row.id === id));
  expect(await firstFor("video", "de", few)).toEqual(["mp4", "mov", "webm"]);
});
