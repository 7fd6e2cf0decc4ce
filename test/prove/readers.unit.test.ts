/** The measures must notice damage: a check that cannot fail proves nothing. */
import { describe, expect, it } from "vitest";
import { colourDifferenceOf, inkOf, ssimOf } from "./readers/likeness.ts";
import type { Sound } from "./readers/media.ts";
import { signalToNoise } from "./readers/noise.ts";
import { cellRecallOf } from "./readers/tables.ts";
import { recallOf } from "./readers/words.ts";

const [width, height] = [64, 48];
const picture = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 7 + Math.floor(at / 500) * 40) % 256));

describe("likeness of pictures", () => {
  it("is whole for equal ones", () => {
    expect(ssimOf(picture, picture, width, height)).toBeCloseTo(1);
    expect(colourDifferenceOf(picture, picture)).toBe(0);
  });

  it("falls for a shifted, an inverted and a blank one", () => {
    const inverted = Buffer.from(picture.map((value) => 255 - value));
    const shifted = Buffer.concat([picture.subarray(31 * 3), picture.subarray(0, 31 * 3)]);
    for (const other of [inverted, shifted, Buffer.alloc(picture.length, 128)]) {
      expect(ssimOf(picture, other, width, height)).toBeLessThan(0.5);
    }
    expect(colourDifferenceOf(picture, inverted)).toBeGreaterThan(20);
  });

  it("sees red and blue exchanged, which have one brightness", () => {
    const [red, blue] = [Buffer.alloc(300), Buffer.alloc(300)];
    for (let at = 0; at < 300; at += 3) {
      red[at] = 200;
      blue[at + 2] = 200;
    }
    expect(colourDifferenceOf(red, blue)).toBeGreaterThan(60);
  });

  it("tells a blank page from one with a line", () => {
    const page = Buffer.alloc(width * height * 3, 255);
    expect(inkOf(page)).toBe(0);
    page.fill(0, 0, width * 3);
    expect(inkOf(page)).toBeCloseTo(1 / height);
  });
});

describe("signal to noise", () => {
  const tone = (pitch: number, rate = 16_000, delay = 0): Sound => ({
    reader: "test",
    rate,
    channels: 1,
    samples: Int16Array.from(
      { length: rate },
      (_, at) => 12_000 * Math.sin((2 * Math.PI * pitch * (at - delay)) / rate) * Math.min(1, at / (rate / 4)),
    ),
  });

  it("is 99 for the same samples, high for the same tone at another rate or a little later", () => {
    expect(signalToNoise(tone(440), tone(440))).toBe(99);
    expect(signalToNoise(tone(440), tone(440, 24_000))).toBeGreaterThan(25);
  });

  it("is nothing for another tone, for silence and for noise", () => {
    expect(signalToNoise(tone(440), tone(523))).toBeLessThan(2);
    expect(signalToNoise(tone(440), { ...tone(440), samples: new Int16Array(16_000) })).toBe(0);
  });
});

describe("recall", () => {
  it("finds words however they are broken, and counts those that are gone", () => {
    expect(recallOf(["Quokka", "Ünïcødé", "zebra"], "quo\nkka  U\u0308ni\u0308cøde\u0301")).toBeCloseTo(2 / 3);
    expect(() => recallOf([], "anything")).toThrow("nothing is known");
  });

  it("finds numbers by value and texts by their letters", () => {
    expect(cellRecallOf(["7.5", "Quokka", "49.5", "x"], ["7.50", "quokka", "4.95"])).toBe(0.5);
  });
});
