// Runs inside the sandbox, beside sharp-child.mjs: crops, turns and resizes.
export function boxOf(crop) {
  const [width, height, left, top] = crop.split(/[x+]/).map(Number);
  return { width, height, left, top };
}

export function shape(image, from, options) {
  const { width, height, fit, rotate, crop, flip } = options;
  if (crop !== undefined) image.extract(boxOf(crop));
  if (flip === "horizontal") image.flop();
  if (flip === "vertical") image.flip();
  if (rotate !== undefined && rotate !== "0") image.rotate(Number(rotate));
  if (width === undefined && height === undefined) return;
  const background = options.background ?? { r: 255, g: 255, b: 255, alpha: 0 };
  image.resize({ width, height, fit: fit ?? "inside", background, withoutEnlargement: options.enlarge !== true && from !== "svg" });
}
