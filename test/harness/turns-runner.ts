/** The runner of integration tests, most of which are rows of tables that start several processes. */
import { type RunnerTestFile, TestRunner } from "vitest";
import { takeTurns } from "./turns.ts";

// biome-ignore lint/style/noDefaultExport: Vitest takes the default export of a runner's file
export default class TurnsRunner extends TestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    for (const file of files) takeTurns(file);
  }
}
