/** Notes of what targets cannot say of pixels: their depth, and that they are not square. */
import type { HopTask } from "#services/conversion/domain/engine.ts";

/** These state how large pixels are across and down. */
const measured = /^(?:png|bmp|pcx|dcx|psd|psb|tiff)$/;

/** Names pixels that are not square, if the target cannot say so. `tallness`: how many times as high as wide they are. */
export function noteOblong({ hop, note }: HopTask, tallness = 1): void {
  if (measured.test(hop.to) || Math.abs(1 / tallness - 1) <= 0.02) return;
  note("MEDIA_CHANGED", `Pixels are square now; they were ${(1 / tallness).toFixed(2)} times as wide as high.`);
}

/** Formats in which the tools write no resolution, though they have a place for one. */
const unsized = /^(?:jxl|jp2)$/;

/** `density`: pixels per inch. */
export function noteUnsized({ hop, note }: HopTask, density: number | undefined): void {
  if (density !== undefined && unsized.test(hop.to)) note("MEDIA_CHANGED", `The resolution of ${Math.round(density)} dpi was not kept.`);
}

export function noteDepth(task: HopTask, { depth }: { readonly depth: number }, { isDeep }: { readonly isDeep?: boolean }): void {
  const kept = isDeep === true ? 16 : 8;
  if (depth > kept) task.note("MEDIA_CHANGED", `Colours have ${kept} bits instead of ${depth}.`);
}
