import { MultiBar, Presets, type SingleBar } from "cli-progress";
import type { Progress } from "./library.ts";

/** One line a file on a terminal, nothing where nobody looks. */
export type ProgressBars = Disposable & { add(name: string): ProgressLine };
export type ProgressLine = { show(progress: Progress): void; end(): void };

const nobody: ProgressBars = { add: () => ({ show: () => {}, end: () => {} }), [Symbol.dispose]: () => {} };

export function openProgressBars(isInteractive: boolean): ProgressBars {
  if (!isInteractive) return nobody;
  const format = " {bar} {percentage}% {name} {stage}";
  const bars = new MultiBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr }, Presets.shades_classic);
  return {
    add(name) {
      const bar: SingleBar = bars.create(100, 0, { name, stage: "" });
      return {
        show(progress) {
          const share = progress.stage === "uploading" ? progress.bytes / Math.max(progress.totalBytes, 1) : 1;
          bar.update(Math.round(share * 100), { stage: progress.stage });
        },
        end: () => void bars.remove(bar),
      };
    },
    [Symbol.dispose]: () => bars.stop(),
  };
}
