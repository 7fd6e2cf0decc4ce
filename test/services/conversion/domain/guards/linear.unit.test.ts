/** Inputs of a hundred bytes that once hung a process are handled instantly and with the same result. */
import { describe, expect, it } from "vitest";
import { assertBegins } from "#services/conversion/domain/guards/signatures.ts";
import { assertHarmlessEntities, svgSizeOf } from "#services/conversion/domain/guards/xml.ts";

const isPlaylist = (text: string): boolean => {
  try {
    // A format without a signature.
    assertBegins(Buffer.from(text), "mp3");
    return false;
  } catch {
    return true;
  }
};

describe("a playlist", () => {
  it.each([
    "#EXTM3U\n",
    "\uFEFF \n<smil>",
    "<?xml version='1.0'?><MPD xmlns=''>",
    "<?xml?> <!-- a --><!---->\n<!-- > --> <playlist>",
    `<?xml?>${"<!---->".repeat(60)}<asx>`,
  ])("is detected in %j", (text) => {
    expect(isPlaylist(text)).toBe(true);
  });

  it.each(["<?xml?><!-- <MPD>", "<?xml?><x><MPD>", `<?xml?>${"<!---->".repeat(250)}<x`, "<?xml", "ID3"])(
    "is not detected in %j",
    (text) => {
      expect(isPlaylist(text)).toBe(false);
    },
  );
});

describe("the size of an SVG", () => {
  it.each([
    ['<svg width="10" height="20mm">', { width: 10, height: (20 * 96) / 25.4 }],
    ["<svg\nwidth = ' 10 px '\theight='2e1'>", { width: 10, height: 20 }],
    ['<s:svg xmlns:s="" stroke-width="9" width="10" height="20"/>', { width: 10, height: 20 }],
    ['<svg data-note="a > b" width="10" height="20">', { width: 10, height: 20 }],
    ['<svg width="100%" height="100%" viewBox="0 0 30 40">', { width: 30, height: 40 }],
    ['<svg width="1em" height="1em">', undefined],
    ["<svg ".repeat(13_100), undefined],
    [`<svg width="1${" ".repeat(30_000)}">`, undefined],
  ])("of %j", (text, size) => {
    expect(svgSizeOf(text)).toEqual(size);
  });
});

describe("entities", () => {
  it.each(["&a;", "&&a;", `${"&".repeat(1000)}a;`])("that refer to others by %j are rejected", (value) => {
    expect(() => assertHarmlessEntities(`<!ENTITY b "${value}">`)).toThrow("expand");
  });

  it("for characters are accepted", () => {
    expect(() => assertHarmlessEntities('<!ENTITY b "&amp;&#65;& c;">')).not.toThrow();
  });
});
