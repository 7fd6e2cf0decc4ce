import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";

export type Look = { readonly size?: number; readonly isBold?: boolean; readonly isMono?: boolean };

/** Text on a page, with each character half as wide as high. */
export function runAt(text: string, x: number, baseline: number, { size = 10, isBold = false, isMono = false }: Look = {}): Run {
  return {
    ...{ text, x, baseline, width: (text.length * size) / 2, size, look: { isBold, isItalic: false, isMono } },
    ...{ font: undefined, endsLine: true, mark: undefined, href: undefined },
  };
}
