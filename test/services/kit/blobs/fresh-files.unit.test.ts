import { describe, expect, it } from "vitest";
import { forgetFile, moveFile, recallFile, rememberFile } from "#kit/blobs/fresh-files.ts";

const mebibyte = 1024 * 1024;

describe("recently written files", () => {
  it("are found by path until they are moved or removed", () => {
    const bytes = Buffer.from("icon");
    rememberFile("/a", bytes);
    expect(recallFile("/a")).toBe(bytes);
    moveFile("/a", "/b");
    expect([recallFile("/a"), recallFile("/b")]).toEqual([undefined, bytes]);
    moveFile("/none", "/c");
    forgetFile("/b");
    forgetFile("/b");
    expect([recallFile("/b"), recallFile("/c")]).toEqual([undefined, undefined]);
  });

  it("are dropped by count, oldest first", () => {
    for (let index = 0; index < 100; index += 1) rememberFile(`/many-${index}`, Buffer.alloc(1));
    expect(recallFile("/many-99")).toBeDefined();
    expect(recallFile("/many-0")).toBeUndefined();
    for (let index = 0; index < 100; index += 1) forgetFile(`/many-${index}`);
  });

  it("are dropped by size, counting the whole buffer they are part of", () => {
    for (let index = 0; index < 20; index += 1) rememberFile(`/large-${index}`, Buffer.alloc(mebibyte).subarray(0, 10));
    const kept = Array.from({ length: 20 }, (_, index) => recallFile(`/large-${index}`)).filter((bytes) => bytes !== undefined);
    expect(kept).toHaveLength(8);
    // Removed entries no longer count: there is room for as many again.
    for (let index = 0; index < 20; index += 1) forgetFile(`/large-${index}`);
    for (let index = 0; index < 8; index += 1) rememberFile(`/large-${index}`, Buffer.alloc(mebibyte));
    expect(recallFile("/large-0")).toBeDefined();
    for (let index = 0; index < 8; index += 1) forgetFile(`/large-${index}`);
  });
});
