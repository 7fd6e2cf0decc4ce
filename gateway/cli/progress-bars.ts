import type { SingleBar } from "cli-progress";
import type { Progress } from "./library.ts";

/** One line per file on a terminal; prints nothing elsewhere. */
export type ProgressBars = Disposable & { add(name: string): ProgressLine };
export type ProgressLine = { show(progress: Progress): void; end(): void };

const nobody: ProgressBars = { add: () => ({ show: () => {}, end: () => {} }), [Symbol.dispose]: () => {} };

export async function openProgressBars(isInteractive: boolean): Promise<ProgressBars> {
  if (!isInteractive) return nobody;
  const { MultiBar, Presets } = (await import("cli-progress")).default;
  const format = " {bar} {percentage}% {name} {stage}";
  const bars = new MultiBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr }, Presets.shades_classic);
  return {
    add(name) {
      const bar: SingleBar = bars.create(100, 0, { name, stage: "" });
      return {
        show(progress) {
          const share = shareOf(progress);
          bar.update(Math.round(share * 100), { stage: progress.stage });
        },
        end: () => void bars.remove(bar),
      };
    },
    [Symbol.dispose]: () => bars.stop(),
  };
}

function shareOf(progress: Progress): number {
  if (progress.stage === "uploading") return progress.bytes / Math.max(progress.totalBytes, 1);
  return progress.stage === "converting" ? (progress.fraction ?? 0) : 1;
}
