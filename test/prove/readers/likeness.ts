/** Similarity of two pictures of the same size, three bytes per pixel. */

const window = 8;
const step = 4;

/** Mean structural similarity of luma. @see Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment (2004) */
export function ssimOf(a: Buffer, b: Buffer, width: number, height: number): number {
  const [first, second] = [lumaOf(a), lumaOf(b)];
  let sum = 0;
  let count = 0;
  for (let y = 0; y + window <= height; y += step) {
    for (let x = 0; x + window <= width; x += step) {
      sum += ssimAt(first, second, y * width + x, width);
      count += 1;
    }
  }
  return count === 0 ? 1 : sum / count;
}

function lumaOf(rgb: Buffer): Float32Array {
  const luma = new Float32Array(rgb.length / 3);
  for (let at = 0, index = 0; index < luma.length; index++, at += 3) {
    luma[index] = 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
  }
  return luma;
}

function ssimAt(a: Float32Array, b: Float32Array, start: number, width: number): number {
  let [sumA, sumB, squareA, squareB, product] = [0, 0, 0, 0, 0];
  for (let y = 0; y < window; y++) {
    for (let x = 0; x < window; x++) {
      const [left, right] = [a[start + y * width + x] ?? 0, b[start + y * width + x] ?? 0];
      sumA += left;
      sumB += right;
      squareA += left * left;
      squareB += right * right;
      product += left * right;
    }
  }
  const size = window * window;
  const [meanA, meanB] = [sumA / size, sumB / size];
  const [varianceA, varianceB] = [squareA / size - meanA * meanA, squareB / size - meanB * meanB];
  const covariance = product / size - meanA * meanB;
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  return ((2 * meanA * meanB + c1) * (2 * covariance + c2)) / ((meanA ** 2 + meanB ** 2 + c1) * (varianceA + varianceB + c2));
}

/** Mean ΔE (CIE 1976) of every third pixel. */
export function colourDifferenceOf(a: Buffer, b: Buffer): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + 2 < a.length; at += 9) {
    const [first, second] = [labOf(a, at), labOf(b, at)];
    sum += Math.hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

type Lab = readonly [lightness: number, a: number, b: number];

/** From sRGB under D65. */
function labOf(rgb: Buffer, at: number): Lab {
  const [red, green, blue] = [light(rgb[at]), light(rgb[at + 1]), light(rgb[at + 2])];
  const x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const lights = Float64Array.from({ length: 256 }, (_, value) => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
});

function light(value = 0): number {
  return lights[value] ?? 0;
}

function root(value: number): number {
  return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116;
}

/** Share of pixels that differ from the most frequent colour by more than one shade. */
export function inkOf(rgb: Buffer): number {
  const counts = new Map<number, number>();
  const colourAt = (at: number) => (((rgb[at] ?? 0) >> 3) << 10) | (((rgb[at + 1] ?? 0) >> 3) << 5) | ((rgb[at + 2] ?? 0) >> 3);
  for (let at = 0; at < rgb.length; at += 3) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  return 1 - Math.max(0, ...counts.values()) / Math.max(1, rgb.length / 3);
}
