import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findNode, root } from "#gateway/setup/node.mjs";

describe("the Node that runs Filemill", () => {
  it("is found by its package path, since npm 9 does not link it", () => {
    const node = findNode();
    expect(node).toBe(join(root, `node_modules/node-linux-${process.arch}/bin/node`));
    expect(existsSync(node)).toBe(true);
  });

  it("is installed by npm 9, which does not support aliases in overrides", async () => {
    const { overrides = {} } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(Object.values(overrides).filter((spec) => String(spec).includes(":"))).toEqual([]);
  });
});
