/** The one line that a new engine adds. */
import type { Engine } from "../domain/engine.ts";
import { ffmpegEngine } from "./ffmpeg.ts";
import { imagemagickEngine } from "./imagemagick.ts";
import { libheifEngine } from "./libheif.ts";
import { libjxlEngine } from "./libjxl.ts";
import { libreofficeEngine } from "./libreoffice.ts";
import { pandocEngine } from "./pandoc.ts";
import { popplerEngine } from "./poppler.ts";
import { sharpEngine } from "./sharp.ts";

/** Every engine of this build. */
export const engines: readonly Engine[] = [
  sharpEngine,
  imagemagickEngine,
  libheifEngine,
  libjxlEngine,
  ffmpegEngine,
  libreofficeEngine,
  pandocEngine,
  popplerEngine,
];
