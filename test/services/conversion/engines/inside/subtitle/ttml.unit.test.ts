import { describe, expect, it } from "vitest";
import { convertSubtitle } from "#services/conversion/engines/inside/subtitle/convert.ts";
import { subtitleEngine } from "#services/conversion/engines/media/subtitle.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(subtitleEngine, convertSubtitle);
const ttml = (parameters: string, body: string) =>
  `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ${parameters}><body><div>${body}</div></body></tt>`;

async function cuesOf(parameters: string, body: string) {
  const made = await convert(ttml(parameters, body), "ttml", "sbv");
  return { cues: made.text.trim().split("\n\n"), codes: made.codes };
}

describe("times of TTML", () => {
  it.each([
    ['ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 'begin="86400f" end="86424f"', "1:00:03.600,1:00:04.601"],
    ['ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 'begin="01:00:00:12" end="01:00:01:00"', "1:00:00.501,1:00:01.000"],
    [
      'ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"',
      'begin="01:00:00:00" end="01:00:01:00"',
      "1:00:03.600,1:00:04.601",
    ],
    [
      'ttp:timeBase="smpte" ttp:dropMode="dropNTSC" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"',
      'begin="01:00:00:00" end="01:00:01:00"',
      "0:59:59.996,1:00:00.997",
    ],
    ['ttp:frameRate="25" ttp:subFrameRate="2"', 'begin="00:00:01:12.1" end="00:00:02:00"', "0:00:01.500,0:00:02.000"],
    ['ttp:tickRate="10000000"', 'begin="10000000t" dur="0.5s"', "0:00:01.000,0:00:01.500"],
    ['ttp:frameRate="24"', 'begin="24t" end="48t"', "0:00:01.000,0:00:02.000"],
    ["", 'begin="1.5s" end="2500ms"', "0:00:01.500,0:00:02.500"],
  ])("with %s are what they mean: %s", async (parameters, times, wanted) => {
    expect(await cuesOf(parameters, `<p ${times}>x</p>`)).toEqual({ cues: [`${wanted}\nx`], codes: [] });
  });

  it.each([
    ["of spans", '<p begin="1s" end="2s">a<span begin="0.5s">b</span></p>', ["0:00:01.000,0:00:02.000\na", "0:00:01.500,0:00:02.000\nb"]],
    ["of spans alone", '<p><span begin="3s" end="4s">c</span></p>', ["0:00:03.000,0:00:04.000\nc"]],
    ["of what is around", '<div begin="1s" end="3s"><p>d</p></div>', ["0:00:01.000,0:00:03.000\nd"]],
    ["without an end", '<p begin="1s">e</p><p begin="2s" end="3s">f</p>', ["0:00:01.000,0:00:02.000\ne", "0:00:02.000,0:00:03.000\nf"]],
    [
      "one after the other",
      '<div timeContainer="seq"><p dur="1s">g</p><p dur="1s">h</p></div>',
      ["0:00:00.000,0:00:01.000\ng", "0:00:01.000,0:00:02.000\nh"],
    ],
  ])("%s are kept", async (_name, body, cues) => {
    expect(await cuesOf("", body)).toEqual({ cues, codes: [] });
  });

  it("that cannot be read are noted", async () => {
    const body = '<p begin="wallclock(1)" end="2s">a</p><p begin="1s" end="2s">b\u00a0c</p><p>d</p>';
    expect(await cuesOf("", body)).toEqual({ cues: ["0:00:01.000,0:00:02.000\nb\u00a0c"], codes: ["INPUT_DAMAGED"] });
  });
});

it("reads lyrics of Apple Music line by line, with times from the start of the song", async () => {
  const line = (begin: number, ...words: readonly string[]) =>
    `<p begin="${begin}" end="${begin + 2}">${words.map((word, at) => `<span begin="${begin + at}" end="${begin + at + 1}">${word}</span>`).join(" ")}</p>`;
  const body = `<div begin="10" end="30">${line(10, "When", "you")}${line(20, "fore", "ver")}</div>`;
  const { cues, codes } = await cuesOf('xmlns:itunes="http://music.apple.com/lyric-ttml-internal" itunes:timing="Word"', body);
  expect(cues).toEqual(["0:00:10.000,0:00:12.000\nWhen you", "0:00:20.000,0:00:22.000\nfore ver"]);
  expect(codes).toEqual(["METADATA_DROPPED"]);
});

describe("white space of TTML", () => {
  it.each([
    ["at line breaks was kept", '<p begin="1s" end="2s">\n  a\n  b\n  <br/>\n  c <span>d</span>\n <br/> e</p>', "a b\nc d\ne"],
    ["was kept because of another paragraph", '<p xml:space="preserve">x</p><p begin="1s" end="2s">a\n   b</p>', "a b"],
    ["is kept where that is asked for", '<p xml:space="preserve" begin="1s" end="2s">a   b <br/> c</p>', "a   b \n c"],
  ])("%s", async (_name, body, wanted) => {
    expect((await cuesOf("", body)).cues).toEqual([`0:00:01.000,0:00:02.000\n${wanted}`]);
  });
});

describe("bold, italics and underlines of TTML", () => {
  it.each([
    ["around", "", '<div tts:fontStyle="italic"><p begin="1s" end="2s">a <span tts:fontStyle="normal">b</span></p></div>', "<i>a </i>b"],
    ["of a style", '<style xml:id="s" tts:fontStyle="italic"/>', '<p style="s" begin="1s" end="2s">a</p>', "<i>a</i>"],
    [
      "of the styles of a style",
      '<style xml:id="s" tts:fontWeight="bold"/><style xml:id="t" style="s" tts:textDecoration="underline"/>',
      '<p begin="1s" end="2s"><span style="t">a</span> b</p>',
      "<b><u>a</u></b> b",
    ],
    ["of a timed part", "", '<p tts:fontWeight="bold"><span begin="1s" end="2s">a</span></p>', "<b>a</b>"],
  ])("%s are kept", async (_name, styles, body, text) => {
    const source = `<tt xmlns="http://www.w3.org/ns/ttml"><head><styling>${styles}</styling></head><body>${body}</body></tt>`;
    const made = await convert(source, "ttml", "srt");
    expect(made).toMatchObject({ text: `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`, codes: [] });
  });

  it.each([
    ["a style that refers to a later one", '<style xml:id="s" style="t"/><style xml:id="t" tts:fontStyle="italic"/>'],
    ["a line through text", '<style xml:id="s" tts:textDecoration="lineThrough"/>'],
    ["what no subtitle format has", '<style xml:id="s" tts:letterSpacing="2px"/>'],
  ])("%s is lost with a note", async (_name, styles) => {
    const body = '<p style="s" begin="1s" end="2s">a</p>';
    const source = `<tt xmlns="http://www.w3.org/ns/ttml"><head><styling>${styles}</styling></head><body>${body}</body></tt>`;
    expect((await convert(source, "ttml", "srt")).codes).toEqual(["STYLING_DROPPED"]);
  });
});
