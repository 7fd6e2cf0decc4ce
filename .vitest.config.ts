import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/harness/longest-first.ts";

const project = (name: string, suffix: string, timeoutMs: number) => ({
  test: {
    name,
    include: [`test/**/*.${suffix}.test.ts`],
    setupFiles: ["./test/harness/seed.ts"],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // One second, the default, is too short for a real browser, broker or engine on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    pool: "forks" as const,
  },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      project("unit", "unit", 60_000),
      { test: { ...project("integration", "int", 180_000).test, runner: "./test/harness/turns-runner.ts" } },
      project("e2e", "e2e", 300_000),
      project("hosts", "hosts", 300_000),
    ],
  },
});
