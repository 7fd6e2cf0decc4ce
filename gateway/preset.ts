/** Named presets of conversion options, shared by the command line and the pages. */

/** Option values by option name, as written on a command line. */
export type OptionTexts = Readonly<Record<string, string>>;
export type Presets = Readonly<Record<string, OptionTexts>>;

/** Allows letters and digits of any script. A name is one word on a command line, in a link and in a file. */
export function isPresetName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,63}$/u.test(text);
}

export function isPresets(kept: unknown): kept is Presets {
  const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
  const isOptions = (value: unknown) => isRecord(value) && Object.values(value).every((text) => typeof text === "string");
  return isRecord(kept) && Object.values(kept).every(isOptions);
}

/** Formats options for display: `width=1600 quality=70`. */
export function optionsText(options: OptionTexts): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
