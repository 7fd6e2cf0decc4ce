// Runs inside the sandbox, beside sharp-child.mjs: fits a picture into a maximum number of bytes.
const leastQuality = 10;
const fewerColours = [256, 128, 64, 32];
const mostSteps = 12;

/**
 * The best result that fits: lower quality, or fewer colours for PNG and GIF; if that is not enough, fewer pixels as well.
 *
 * @param write - Encodes with these options in place of the requested ones; resolves with the bytes and dimensions.
 * @returns the bytes and a sentence on what was reduced; no bytes if nothing fits.
 */
export async function fitted(write, to, options) {
  const limit = options.maxKb * 1000;
  const asked = await write({});
  if (asked.data.length <= limit) return { data: asked.data };
  const reduced =
    (options.lossless !== true && (await byQuality(write, limit, options.quality))) || (await byColours(write, limit, to, options));
  if (reduced?.data !== undefined) return reduced;
  return await byPixels(write, limit, asked.info, reduced?.more ?? {});
}

/** By binary search, because better quality means more bytes. */
async function byQuality(write, limit, quality) {
  if (quality === undefined) return undefined;
  let [low, high, best] = [leastQuality, quality - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const { data } = await write({ quality: middle });
    if (data.length <= limit) [best, low] = [{ data, how: `Quality was reduced to ${middle}.` }, middle + 1];
    else high = middle - 1;
  }
  return best ?? { more: { quality: Math.min(quality, leastQuality) } };
}

async function byColours(write, limit, to, { colours: most = 257 }) {
  if (to !== "png" && to !== "gif") return undefined;
  const tried = fewerColours.filter((each) => each < most);
  for (const colours of tried) {
    const { data } = await write({ colours });
    if (data.length <= limit) return { data, how: `Colours were reduced to ${colours}.` };
  }
  return { more: tried.length === 0 ? {} : { colours: tried.at(-1) } };
}

async function byPixels(write, limit, info, more) {
  let [width, height] = [info.width, info.pageHeight ?? info.height];
  let written = await write(more);
  for (let step = 0; step < mostSteps && width > 1 && height > 1; step += 1) {
    const scale = Math.min(0.9, 0.95 * Math.sqrt(limit / written.data.length));
    [width, height] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    written = await write({ ...more, width, height, fit: "fill" });
    if (written.data.length <= limit) return { data: written.data, how: wordsFor(more, width, height) };
  }
  return {};
}

function wordsFor({ quality, colours }, width, height) {
  const others = [...(quality === undefined ? [] : [`quality to ${quality}`]), ...(colours === undefined ? [] : [`colours to ${colours}`])];
  return `Reduced to ${[`${width} by ${height} pixels`, ...others].join(", ")}.`;
}
