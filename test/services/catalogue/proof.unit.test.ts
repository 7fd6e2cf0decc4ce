import { describe, expect, it } from "vitest";
import { wordOf } from "#services/catalogue/domain/fidelity-rule.ts";
import {
  familyOf,
  formatProofFile,
  type ProofFile,
  type ProofRow,
  parseProofFile,
  pathOf,
  proofOf,
  versionFamilyOf,
} from "#services/catalogue/domain/proof.ts";

const row: ProofRow = {
  from: "png",
  to: "webp",
  path: "sharp",
  declared: "abc123",
  sample: "typical",
  word: "high",
  figures: { ssim: 0.98, de: 1.5 },
  reader: "ffmpeg",
  ms: 20,
  date: "2026-01-31",
  why: "",
};
const file = (version: string, ...rows: readonly Partial<ProofRow>[]): ProofFile => ({
  engines: new Map([["sharp", version]]),
  rows: rows.map((each) => ({ ...row, ...each })),
});
const hop = (version: string) => [{ engine: "sharp", from: "png", to: "webp", versions: [version] }];

describe("wordOf", () => {
  it.each([
    [{ ssim: 1, de: 0 }, "ffmpeg", "lossless"],
    [{ ssim: 1, de: 0 }, "self", "high"],
    [{ ssim: 0.95, de: 0 }, "ffmpeg", "high"],
    [{ ssim: 1, de: 20 }, "ffmpeg", "reduced"],
    [{ ssim: 0.1, de: 0 }, "ffmpeg", "failed"],
    [{ recall: 1 }, "poppler", "high"],
    [{ recall: 0.7, pages: 1 }, "poppler", "reduced"],
    [{ entries: 0.9 }, "7z", "failed"],
    [{ shift: 2 }, "ffmpeg", "failed"],
    [{ ssim: Number.NaN }, "ffmpeg", "failed"],
    [{}, "ffmpeg", "failed"],
  ])("%j by %s: %s", (figures, reader, word) => {
    expect(wordOf(figures, reader)).toBe(word);
  });
});

describe("the version family", () => {
  it.each([
    ["5.1.9-0+deb12u1", "5.1"],
    ["0.35.5 (libvips 8.18.7)", "0.35"],
    ["6.9.11-60", "6.9"],
    ["10.00.0", "10.00"],
    ["20230101", "20230101"],
    ["unknown", "unknown"],
  ])("of %s is %s", (version, family) => {
    expect(versionFamilyOf(version)).toBe(family);
  });

  it("is the same for all versions of an engine that ships security fixes as major releases", () => {
    expect(familyOf("chromium", "156.0.8078.79")).toBe(familyOf("chromium", "157.0.1.2"));
    expect(familyOf("ffmpeg", "5.1.9")).not.toBe(familyOf("ffmpeg", "6.1.1"));
  });
});

describe("a proof file", () => {
  it("is sorted and round-trips", () => {
    const text = formatProofFile(file("1.2.3", { to: "webp" }, { to: "avif", word: "failed", figures: {}, why: "it\tbroke\n" }));
    expect(text.indexOf("avif")).toBeLessThan(text.indexOf("webp"));
    expect(formatProofFile(parseProofFile(text))).toBe(text);
    expect(parseProofFile(text).rows[0]?.why).toBe("it broke");
  });

  it("can be marked unfinished and then does not count as complete for its versions", () => {
    const unfinished = parseProofFile(formatProofFile({ ...file("9.0", {}), unfinished: true }));
    expect(unfinished.unfinished).toBe(true);
    expect(proofOf([unfinished]).judge(hop("9.0"))).toBe("high");
    expect([unfinished, file("9.0", {})].map((each) => proofOf([each]).isProven("sharp", "9.0"))).toEqual([false, true]);
  });

  it("is parsed without its unknown lines", () => {
    expect(parseProofFile("# a\nengine\tsharp\npng\twebp\nengine\tsharp\t1\n")).toEqual({ engines: new Map([["sharp", "1"]]), rows: [] });
  });

  it("keeps one row per route after a line-by-line merge", () => {
    const [text, later] = [formatProofFile(file("1.2", {})), formatProofFile(file("1.2", { ms: 70 }))];
    expect(parseProofFile(`${text}${later}`).rows).toHaveLength(1);
  });
});

describe("a proof", () => {
  const proof = proofOf([file("5.1.6", {})]);

  it("covers an update within the version family", () => {
    expect(proof.judge(hop("5.1.9-0+deb12u1"))).toBe("high");
    expect(proof.judge(hop("5.2.0"))).toBe("failed");
  });

  it("covers a route only if it covers each of its engines", () => {
    const hops = [
      { engine: "sharp", from: "gif", to: "png", versions: ["5.1"] },
      { engine: "other", from: "png", to: "webp", versions: ["1.0"] },
    ];
    const twoHops: ProofFile = {
      engines: new Map([
        ["sharp", "5.1"],
        ["other", "2.0"],
      ]),
      rows: [{ ...row, from: "gif", path: pathOf(hops) }],
    };
    expect(pathOf(hops)).toBe("sharp png other");
    expect(proofOf([twoHops]).judge(hops)).toBe("failed");
    expect(proofOf([{ ...twoHops, engines: new Map([...twoHops.engines, ["other", "1.0"]]) }]).judge(hops)).toBe("high");
  });

  it("from this machine overrides the bundled one, for better or worse", () => {
    const failed = file("5.1.6", { word: "failed" });
    expect(proofOf([file("5.1.6", {}), failed]).judge(hop("5.1.6"))).toBe("failed");
    expect(proofOf([failed, file("5.1.6", {})]).judge(hop("5.1.6"))).toBe("high");
    expect(proofOf([file("5.1.6", {}), file("6.0", {})]).judge(hop("5.1.6"))).toBe("high");
  });
});
