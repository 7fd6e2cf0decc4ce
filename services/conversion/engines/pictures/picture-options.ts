/** Options for a picture whatever program reads it: handled by libvips, possibly after another program decoded it. */
import type { HopTask, OptionDefinition, OptionValues } from "#services/conversion/domain/engine.ts";
import { cropOption, matching, oneOf, yesOrNo } from "../shared/options.ts";

export const side = { type: "integer", min: 1, max: 16_384, unit: "pixels" } as const;
const width: OptionDefinition = { ...side, name: "width", description: "Width; without height, the height follows" };
const height: OptionDefinition = { ...side, name: "height", description: "Height; without width, the width follows" };
const fitting = (unset?: "inside") =>
  oneOf(
    "fit",
    ["inside", "outside", "cover", "contain", "fill"],
    "Fit to width and height: inside, outside, cropped, padded or stretched",
    unset,
  );
const enlarge = yesOrNo("enlarge", "Enlarge a picture smaller than width and height", { default: false });

export const turn = oneOf("rotate", ["0", "90", "180", "270"], "Degrees clockwise, after the picture's own orientation", "0");

export const crop = cropOption();

export const flip = oneOf("flip", ["none", "horizontal", "vertical"], "Mirror the picture", "none");

export const shape: readonly OptionDefinition[] = [width, height, fitting("inside"), enlarge];

const colour = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
/** `unset`: what applies if the option is not given, where that is known. */
export const backgroundOption = (unset = "", value?: string) =>
  matching("background", colour, `Background and padding colour, #rrggbb${unset}`, value);

/** For pictures that are decoded and written unchanged unless one of these is given. */
export const reshaping: readonly OptionDefinition[] = [width, height, fitting(), enlarge, turn, backgroundOption()];

export const metadataChoice = oneOf(
  "metadata",
  ["strip", "keep"],
  "EXIF, XMP, IPTC and comments (camera, date, location, author); default: keep",
);
export const profileChoice = oneOf(
  "profile",
  ["srgb", "keep", "strip"],
  "Colours: to sRGB, kept with their profile (default), or kept without it",
);

/** Whether any of these options has an effect. */
export function reshapes({ options }: Pick<HopTask, "options">): boolean {
  return [...reshaping, metadataChoice, profileChoice].some(({ name }) => !isOff(options[name]));
}

function isOff(value: OptionValues[string] | undefined): boolean {
  return value === undefined || value === false || value === "0";
}
