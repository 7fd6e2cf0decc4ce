/** Quality or bit rate of a film's frames, in each encoder's terms. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { stringOption } from "../shared/hop-table.ts";

/** With a constant quality set, encoders ignore the bit rate. */
export function withoutQuality(encoder: readonly string[]): readonly string[] {
  const place = encoder.indexOf("-q:v");
  return place < 0 ? encoder : encoder.toSpliced(place, 2);
}

export function qualityArgs(encoder: string, crf: number | undefined, preset: string | undefined): string[] {
  const speeds = ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"];
  switch (encoder) {
    case "libx264":
    case "libx265":
      return ["-crf", String(crf ?? 23), "-preset", preset ?? "veryfast"];
    case "libvpx-vp9":
      return ["-crf", String(crf ?? 36)];
    case "libvpx":
      return ["-crf", String(Math.max(4, crf ?? 12))];
    case "libsvtav1":
      return ["-crf", String(crf ?? 35), "-preset", String(12 - speeds.indexOf(preset ?? "veryfast"))];
    case "libtheora":
    case "mpeg4":
    case "mpeg2video":
    case "wmv2":
      // These scale from 1 to 31 (libtheora: 10 down to 0).
      if (crf === undefined) return [];
      return ["-q:v", String(encoder === "libtheora" ? Math.round(10 - (crf / 51) * 10) : Math.max(1, Math.round((crf / 51) * 31)))];
    default:
      return [];
  }
}

export function bitrateArgs(encoder: string, kilobits: number, { options }: HopTask): string[] {
  const preset = stringOption(options, "preset") ?? "veryfast";
  return ["-b:v", `${kilobits}k`, ...(encoder === "libx264" || encoder === "libx265" ? ["-preset", preset] : [])];
}
