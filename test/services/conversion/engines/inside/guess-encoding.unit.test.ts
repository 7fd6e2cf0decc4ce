import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { guessEncoding } from "#services/conversion/engines/inside/guess-encoding.ts";

const pangram = "Привет мир. Съешь ещё этих мягких французских булок да выпей чаю. ";
const rights = "Все люди рождаются свободными и равными в своем достоинстве и правах. ";

function encode(text: string, encoding: string): Buffer {
  return execFileSync("iconv", ["-f", "utf-8", "-t", encoding], { input: text });
}

it.each([
  [pangram, "windows-1251"],
  [pangram, "koi8-r"],
  [pangram, "ibm866"],
  ["Привет мир", "ibm866"],
  [rights, "windows-1251"],
  [`<html><head><title>Заголовок</title></head><body><h1>Привет</h1><p>${pangram}</p></body></html>`, "windows-1251"],
  ["Tous les êtres humains naissent libres et égaux. Café à la crème, déjà vu.", "windows-1252"],
  ["Grüße aus Köln: schöne Straße, Füße", "windows-1252"],
  ["Zażółć gęślą jaźń. Pchnąć w tę łódź jeża lub ośm skrzyń fig. Wszyscy ludzie rodzą się wolni.", "windows-1250"],
  ["Đino, dođavola. Neće da izađe odatle, a čeka. Što želiš? Policija je došla.", "windows-1250"],
  ["Ko pridem, želim videti, če je še kaj časa.", "windows-1250"],
  ["La crème de M. Škvorecký, café", "windows-1252"],
  ["Dušan è qui, però andrà a Torino lunedì; la città più bella.", "windows-1252"],
  ["ゾルゲと尾崎、淡々と最期。日本語のテキストです。", "shift_jis"],
  ["名前,住所,電話\n田中ソ一,東京都能登―表,03-1234-5678\n", "shift_jis"],
  ["名前,年齢\n山田,30\n佐藤,28\n高橋,22\n渡辺,26\n伊藤,35\n中村,27\n小林,24\n加藤,31\n吉田,33\n", "shift_jis"],
  ["имя,город\nИван,Москва\n", "windows-1251"],
  ["ÄÖÜ;1;2\n", "windows-1252"],
  ["PRÉÉÈ", "windows-1252"],
  ["jméno;město\nŽofie Šťastná;Plzeň\nJiří Dvořák;České Budějovice\n", "windows-1250"],
])("reads %s in %s", (text, encoding) => {
  const bytes = encode(text, encoding);
  expect(new TextDecoder(guessEncoding(bytes)).decode(bytes)).toBe(text);
});

it("does not take drawn lines for foreign words", () => {
  expect(guessEncoding(Buffer.from(`${"\xc4".repeat(40)} caf\xe9 ${"\xc4".repeat(40)}`, "latin1"))).toBe("windows-1252");
});

it("finds the letters of a text that starts with plain ASCII", () => {
  const bytes = Buffer.concat([Buffer.from("id,name\n1,plain\n".repeat(10_000)), encode(rights, "koi8-r")]);
  expect(guessEncoding(bytes)).toBe("koi8-r");
});
