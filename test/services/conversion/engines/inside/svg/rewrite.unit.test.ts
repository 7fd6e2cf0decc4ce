import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Notes, Options } from "#services/conversion/engines/inside/exchange.ts";
import { rewriteSvg } from "#services/conversion/engines/inside/svg/rewrite.ts";

const drawing = `<?xml version="1.0"?>
<!-- by hand -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="96" height="48" onload="alert(1)">
  <title>Quokka</title><metadata><x>Numbat</x></metadata>
  <style>@import url("https://a.example/a.css"); .a { fill: url(#g); background: url(https://a.example/b.png) }</style>
  <g id="hidden" style="display:none"><path d="M 10.000001 , 10.00000 L 20.123456 20.654321 z"/></g>
  <image xlink:href="https://a.example/c.png" width="9" height="9"/><image href="data:image/png;base64,AA==" width="9" height="9"/>
  <a href="https://a.example/"><text xml:space="preserve">a  b</text></a><script>alert(2)</script>
</svg>`;

function rewritten(text: string | Buffer, options: Options = {}, from = "svg") {
  const notes: Notes = new Map();
  const result = Buffer.from(rewriteSvg(Buffer.from(text), { work: "svg", from, to: from, options }, notes));
  return { result, text: result.toString(), notes: [...notes.keys()] };
}

describe("an SVG", () => {
  it("gets smaller, and keeps ids, comments, metadata, scripts and references", () => {
    const { text, notes } = rewritten(drawing);
    expect(text.length).toBeLessThan(drawing.length);
    expect(notes).toEqual([]);
    expect(text).toMatch(/d="M10 10 ?L?l?[\d.]+/i);
    for (const kept of ['id="hidden"', "<!--by hand-->", "<title>Quokka", "Numbat", "@import", "c.png", "alert(2)", "onload", "a  b"]) {
      expect(text).toContain(kept);
    }
  });

  it("loses scripts, external references and metadata on request", () => {
    const { text } = rewritten(drawing, { scripts: "strip", external: "strip", metadata: "strip" });
    for (const gone of ["script", "alert", "onload", "@import", "b.png", "c.png", "Numbat", "by hand", "Quokka"])
      expect(text).not.toContain(gone);
    for (const kept of ["url(#g)", "data:image/png", 'href="https://a.example/"']) expect(text).toContain(kept);
  });

  it("is returned unchanged if nothing is gained, and is rewritten inside SVGZ too", () => {
    const small = rewritten(drawing).result;
    const again = rewritten(small);
    expect([again.text, again.notes]).toEqual([small.toString(), ["SOURCE_KEPT"]]);
    const packed = rewritten(gzipSync(drawing), {}, "svgz");
    expect(gunzipSync(packed.result).toString()).toBe(small.toString());
  });

  it("is rejected if it is not valid", () => {
    expect(() => rewritten("<svg><g></svg>")).toThrow(/not SVG/);
    expect(() => rewritten("<g>".repeat(100_000))).toThrow(/nested/);
    expect(() => rewritten("no", {}, "svgz")).toThrow(/compressed/);
  });
});
