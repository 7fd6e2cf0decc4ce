import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** 10⁸ references: many seconds of work from a kilobyte. */
export function endlessSvg(): string {
  const layers = Array.from({ length: 8 }, (_, layer) => `<g id="a${layer + 1}">${`<use href="#a${layer}"/>`.repeat(10)}</g>`).join("");
  const filter = '<filter id="f"><feGaussianBlur stdDeviation="300"/><feMorphology operator="dilate" radius="300"/></filter>';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><defs>${filter}<g id="a0"><rect width="4000" height="4000" filter="url(#f)"/></g>${layers}</defs><use href="#a8"/></svg>`;
}

/** Processes whose command line or open folder contains this test's data folder. */
export function processesOf(dataDir: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(join("/proc", pid, "mountinfo"), "utf8").includes(join(dataDir, "scratch")) ? [pid] : [];
      } catch {
        return [];
      }
    });
}
