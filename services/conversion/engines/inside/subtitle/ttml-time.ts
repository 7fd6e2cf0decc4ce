/** TTML times: clock times, frames and ticks. @see https://www.w3.org/TR/ttml2/#timing-value-timeExpression */
import { msOf } from "./cues.ts";

export type Clock = {
  /** Nominal frames per second, by which frames are counted. */
  readonly frames: number;
  /** Actual frames per second. */
  readonly fps: number;
  readonly subFrames: number;
  readonly ticks: number;
  /** Whether hours, minutes and seconds count frames rather than time; `dropNTSC` skips two frame numbers in nine of ten minutes. */
  readonly smpte: "none" | "nonDrop" | "dropNTSC";
};

export function clockOfDocument(text: string): Clock {
  const numberOf = (pattern: RegExp): number | undefined => {
    const found = Number(pattern.exec(text)?.[1] ?? 0);
    return found > 0 ? found : undefined;
  };
  const rate = numberOf(/\bframeRate\s*=\s*["'](\d+)["']/);
  const frames = rate ?? 30;
  const [, times = 1, per = 1] = (/\bframeRateMultiplier\s*=\s*["'](\d+)[\s:]+(\d+)["']/.exec(text) ?? []).map(Number);
  const subFrames = numberOf(/\bsubFrameRate\s*=\s*["'](\d+)["']/) ?? 1;
  const drop = /\bdropMode\s*=\s*["']dropNTSC["']/.test(text) ? "dropNTSC" : "nonDrop";
  return {
    frames,
    fps: times > 0 && per > 0 ? (frames * times) / per : frames,
    subFrames,
    ticks: numberOf(/\btickRate\s*=\s*["'](\d+)["']/) ?? (rate === undefined ? 1 : frames * subFrames),
    smpte: /\btimeBase\s*=\s*["']smpte["']/.test(text) ? drop : "none",
  };
}

/** Milliseconds; undefined for an unsupported time expression. */
export function msOfTime(given: string, clock: Clock): number | undefined {
  const text = given.trim();
  const [, amount, metric] = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(text) ?? [];
  if (amount !== undefined) {
    const ms = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, f: 1000 / clock.fps, t: 1000 / clock.ticks }[metric ?? "s"] ?? 1000;
    return Math.round(Number(amount) * ms);
  }
  const parts = /^(\d+):(\d+):(\d+)(?::(\d+)(?:\.(\d+))?)?$/.exec(text);
  if (parts === null || (parts[4] === undefined && clock.smpte === "none")) return msOf(text);
  const [hours = 0, minutes = 0, seconds = 0, whole = 0, part = 0] = parts.slice(1).map((each) => Number(each ?? 0));
  const frames = whole + part / clock.subFrames;
  const allMinutes = hours * 60 + minutes;
  const allSeconds = allMinutes * 60 + seconds;
  if (clock.smpte === "none") return Math.round((allSeconds + frames / clock.fps) * 1000);
  const dropped = clock.smpte === "dropNTSC" ? 2 * (allMinutes - Math.floor(allMinutes / 10)) : 0;
  return Math.round(((allSeconds * clock.frames + frames - dropped) / clock.fps) * 1000);
}
