import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureCompiledCode } from "#gateway/setup/compiled-code.mjs";

let clone: string;
beforeEach(() => {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  clone = mkdtempSync(join(tmpdir(), "filemill-compiled-"));
  for (const folder of ["gateway", "services", "gen"]) mkdirSync(join(clone, folder));
  writeFileSync(join(clone, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(clone, "package-lock.json"), "{}");
  writeFileSync(join(clone, "services/part.ts"), "export const part: string = process.argv[2] ?? '';\n");
  const main = `import { appendFileSync } from "node:fs";\nimport { part } from "../services/part.ts";\nappendFileSync("${clone}/runs", part + "\\n");\n`;
  writeFileSync(join(clone, "gateway/main.ts"), main);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(clone, { recursive: true, force: true });
});

const runs = (): string => readFileSync(join(clone, "runs"), "utf8");

describe("compiled code", () => {
  it("is built once without starting the service, and again after a source changes", async () => {
    await ensureCompiledCode(clone);
    await ensureCompiledCode(clone);
    expect(runs()).toBe("--compile\n");
    expect(readdirSync(join(clone, "node_modules/.cache/node"))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^v\d+\./), "filemill"]),
    );
    appendFileSync(join(clone, "services/part.ts"), "// changed\n");
    await ensureCompiledCode(clone);
    expect(runs()).toBe("--compile\n--compile\n");
  });

  it("is skipped if it cannot be built or stored", async () => {
    writeFileSync(join(clone, "node_modules"), "no folder");
    await ensureCompiledCode(clone);
    rmSync(join(clone, "node_modules"));
    writeFileSync(join(clone, "gateway/main.ts"), "throw new Error();\n");
    await ensureCompiledCode(clone);
    expect(existsSync(join(clone, "node_modules/.cache/node/filemill"))).toBe(false);
  });
});
