/** The one line that a new engine adds. */
import type { Engine } from "../domain/engine.ts";
import { archiveEngine } from "./archive.ts";
import { assimpEngine } from "./assimp.ts";
import { calibreEngine } from "./calibre.ts";
import { chromiumEngine } from "./chromium.ts";
import { dataEngine } from "./data.ts";
import { djvulibreEngine } from "./djvulibre.ts";
import { ffmpegEngine } from "./ffmpeg.ts";
import { ffmpegStillsEngine } from "./ffmpeg-stills.ts";
import { fluidsynthEngine } from "./fluidsynth.ts";
import { fontEngine } from "./font.ts";
import { fonttoolsEngine } from "./fonttools.ts";
import { gdalEngine } from "./gdal.ts";
import { ghostscriptEngine } from "./ghostscript.ts";
import { gpsbabelEngine } from "./gpsbabel.ts";
import { graphvizEngine } from "./graphviz.ts";
import { icnsutilsEngine } from "./icnsutils.ts";
import { imagemagickEngine, imagemagickExrEngine } from "./imagemagick.ts";
import { joinComicEngine } from "./join-comic.ts";
import { joinHtmlEngine } from "./join-html.ts";
import { joinMediaEngine } from "./join-media.ts";
import { joinPdfEngine } from "./join-pdf.ts";
import { joinTiffEngine } from "./join-tiff.ts";
import { libheifEngine } from "./libheif.ts";
import { libjxlEngine } from "./libjxl.ts";
import { librawEngine } from "./libraw.ts";
import { libreofficeEngine } from "./libreoffice.ts";
import { libtiffEngine } from "./libtiff.ts";
import { mailEngine } from "./mail.ts";
import { mupdfEngine } from "./mupdf.ts";
import { officeChangeEngine } from "./office-change.ts";
import { pandocEngine } from "./pandoc.ts";
import { pdfEngine } from "./pdf.ts";
import { pdfChangeEngine } from "./pdf-change.ts";
import { popplerEngine } from "./poppler.ts";
import { popplerTiffEngine } from "./poppler-tiff.ts";
import { potraceEngine } from "./potrace.ts";
import { rsvgEngine } from "./rsvg.ts";
import { sharpEngine } from "./sharp.ts";
import { subtitleEngine } from "./subtitle.ts";
import { svgoEngine } from "./svgo.ts";
import { tesseractEngine } from "./tesseract.ts";

/** Every engine of this build. */
export const engines: readonly Engine[] = [
  sharpEngine,
  imagemagickEngine,
  imagemagickExrEngine,
  libheifEngine,
  libjxlEngine,
  librawEngine,
  icnsutilsEngine,
  ffmpegStillsEngine,
  rsvgEngine,
  svgoEngine,
  potraceEngine,
  libtiffEngine,
  mupdfEngine,
  ghostscriptEngine,
  tesseractEngine,
  ffmpegEngine,
  fluidsynthEngine,
  libreofficeEngine,
  chromiumEngine,
  officeChangeEngine,
  pandocEngine,
  pdfEngine,
  pdfChangeEngine,
  popplerEngine,
  popplerTiffEngine,
  dataEngine,
  archiveEngine,
  mailEngine,
  gdalEngine,
  gpsbabelEngine,
  assimpEngine,
  graphvizEngine,
  calibreEngine,
  djvulibreEngine,
  subtitleEngine,
  fontEngine,
  fonttoolsEngine,
  joinPdfEngine,
  joinTiffEngine,
  joinHtmlEngine,
  joinComicEngine,
  joinMediaEngine,
];
