// Runs inside the sandbox, beside sharp-child.mjs: selects and configures sharp's encoder for a target.
/** The image with its encoder set; undefined if no encoder writes the target. */
export function encoded(image, to, options, first) {
  const { quality, lossless, effort } = options;
  const pixels = first.width * first.height;
  switch (to) {
    case "jpg":
      // Optimised Huffman tables need every coefficient in memory: 2.3 GB for 400 million pixels.
      return image.jpeg({ quality, progressive: options.progressive, chromaSubsampling: options.chroma, optimiseCoding: pixels <= 40e6 });
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
      // libvips defaults to JPEG in TIFF, which silently drops transparency.
      return image.tiff({ compression: options.compression ?? "deflate", predictor: "horizontal" });
    default:
      return undefined;
  }
}
