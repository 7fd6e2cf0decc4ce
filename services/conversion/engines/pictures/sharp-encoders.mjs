// Runs inside the sandbox, beside sharp-child.mjs: which of sharp's encoders writes a target, and how.
/** The image with its encoder set; undefined for a target that there is none for. */
export function encoded(image, to, options, first) {
  const { quality, lossless, effort } = options;
  const pixels = first.width * first.height;
  switch (to) {
    case "jpg":
      // Better Huffman tables hold every coefficient in memory: 2.3 GB for 400 million pixels.
      return image.jpeg({
        quality,
        progressive: options.progressive,
        chromaSubsampling: options.chroma,
        optimiseCoding: pixels <= 40e6,
      });
    case "png":
      return image.png({
        compressionLevel: options.compressionLevel,
        progressive: options.progressive,
        ...(options.colours === undefined ? {} : { palette: true, colours: options.colours }),
      });
    case "webp":
      return image.webp({ quality, lossless, effort });
    case "gif":
      return image.gif({ effort, colours: options.colours });
    case "avif":
      return image.avif({ quality, lossless, effort, bitdepth: first.depth === "ushort" ? 10 : 8 });
    case "tiff":
      // libvips' own choice is JPEG in TIFF, which drops transparency without a word.
      return image.tiff({ compression: options.compression ?? "deflate", predictor: "horizontal" });
    default:
      return undefined;
  }
}
