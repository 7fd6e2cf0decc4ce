// Runs inside the sandbox, beside sharp-child.mjs: which resolution, depth and profile of a picture its result keeps.
import { isSrgb } from "./sharp-headers.mjs";

export const usualDensity = 72;

/** As the source says, else what everybody takes for nothing said: libvips would write 25.4. */
export function setDensity(image, { to, options }, first) {
  const density = options.density ?? first.density;
  const isTold = density !== undefined && (options.density !== undefined || density !== usualDensity);
  if (isTold && to !== "tiff" && to !== "png" && to !== "gif") {
    image.withDensity(density);
    // Else it would keep all that EXIF says.
    if (options.metadata !== "keep") image.withExif({});
  } else image.options.withMetadataDensity = density ?? usualDensity;
}

/** Bits of a colour that a format holds, of those that are written here. */
export function depthIn(to) {
  return to === "png" || to === "tiff" ? 16 : to === "avif" ? 10 : 8;
}

/** Of pictures in red, green and blue alone: others become these, to which their own profile would give wrong colours. */
export function keepsProfile({ icc, isHdr }, { profile }) {
  return profile === "keep" && isHdr !== true && icc?.toString("latin1", 16, 20) === "RGB ";
}

export function isConverted(first, options) {
  return first.icc !== undefined && !isSrgb(first.icc) && options.profile !== "strip" && !keepsProfile(first, options);
}

/** libvips converts greys by their profile in eight bits alone. */
export function losesGreyDepth(first, options) {
  return first.space === "grey16" && isConverted(first, options);
}
