import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refused.ts";

const svg = (attributes: string, before = "", inner = "") =>
  `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`;

describe("mislabelled files", () => {
  it.each([
    ["push graphic-context\nviewbox 0 0 640 480\nfill 'url(https://x\"|touch /x)'\npop graphic-context\n", "jpg"],
    ["hello", "png"],
    ["hello", "pdf"],
    ["hello", "mp4"],
    ["\x1a\x45\xdf\xa3", "odt"],
  ])("%j is not %s", async (content, format) => {
    expect(await refusalOf(content, format)).toBe("INVALID_INPUT");
  });

  it.each([
    ["#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n", "ts"],
    ["\uFEFF\n#EXTM3U\n", "mp3"],
    ["ffconcat version 1.0\nfile 'x'\n", "mpg"],
    ["v=0\no=- 0 0 IN IP4 127.0.0.1\n", "flv"],
    ['<?xml version="1.0"?><!-- a --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>', "mpg"],
    ["[playlist]\nFile1=x\n", "aac"],
  ])("the playlist %j is not %s", async (content, format) => {
    expect(await refusalOf(content, format)).toBe("INVALID_INPUT");
  });

  it("text may look like a playlist", async () => {
    expect(await refusalOf("#EXTM3U\n", "txt")).toBe("accepted");
  });

  it("empty files are invalid in every format", async () => {
    for (const format of ["png", "txt", "md", "mp3", "zip"]) expect(await refusalOf("", format)).toBe("INVALID_INPUT");
  });
});

describe("drawings", () => {
  it("with the namespaces of drawing programs are accepted", async () => {
    const illustrator = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>';
    expect(await refusalOf(svg('width="10" height="10"', illustrator), "svg")).toBe("accepted");
  });

  it("with expanding or external entities are rejected", async () => {
    const lol = '<!DOCTYPE svg [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>';
    expect(await refusalOf(svg("", lol), "svg")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(svg("", `<!DOCTYPE svg [<!ENTITY a "${"x".repeat(2000)}">]>`), "svg")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(svg("", '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]>'), "svg")).toBe("INVALID_INPUT");
    expect(await refusalOf(svg("", '<!DOCTYPE svg [<!ENTITY % x PUBLIC "a" "b">%x;]>'), "svg")).toBe("INVALID_INPUT");
    expect(await refusalOf(Buffer.from(`\uFEFF${svg("", lol)}`, "utf16le"), "svg")).toBe("INPUT_TOO_COMPLEX");
  });

  it.each([
    ['width="100000" height="100000"', "INPUT_TOO_COMPLEX"],
    ['width="3000mm" height="3000mm"', "INPUT_TOO_COMPLEX"],
    ['width="100%" height="100%" viewBox="0 0 99999 99999"', "INPUT_TOO_COMPLEX"],
    ['viewBox="0 0 24 24"', "accepted"],
    ['width="1e4" height="1e4"', "accepted"],
    ["", "accepted"],
  ])("of %s: %s", async (attributes, verdict) => {
    expect(await refusalOf(svg(attributes), "svg")).toBe(verdict);
  });
});

describe("gzipped documents", () => {
  const svg = (inner: string, before = "") => gzipSync(`${before}<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`);

  it("are accepted if valid, or if damaged, which the engine reports", async () => {
    expect(await refusalOf(svg("<g/>".repeat(100_000)), "svgz")).toBe("accepted");
    expect(await refusalOf(svg("<g/>").subarray(0, 30), "svgz")).toBe("accepted");
  });

  it("are measured while they are decompressed", async () => {
    expect(await refusalOf(gzipSync(Buffer.alloc(60_000_000, "<g/>")), "svgz")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(gzipSync(Buffer.alloc(60_000_000, "<g/>")), "gnumeric")).toBe("INPUT_TOO_COMPLEX");
    expect(await refusalOf(gzipSync(Buffer.alloc(60_000_000, "text")), "gz")).toBe("accepted");
  });

  it("with expanding or external entities are rejected", async () => {
    expect(await refusalOf(svg("&x;", '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "svgz")).toBe("INVALID_INPUT");
    expect(await refusalOf(svg("&b;", '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'), "svgz")).toBe("INPUT_TOO_COMPLEX");
  });
});
