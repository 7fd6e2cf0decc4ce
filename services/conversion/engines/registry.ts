/** All engines: a new one adds a line here. */
import type { Engine } from "../domain/engine.ts";
import { archiveEngine } from "./archives/archive.ts";
import { joinComicEngine } from "./archives/join-comic.ts";
import { joinHtmlEngine } from "./archives/join-html.ts";
import { joinMediaEngine } from "./archives/join-media.ts";
import { joinPdfEngine } from "./archives/join-pdf.ts";
import { joinTiffEngine } from "./archives/join-tiff.ts";
import { dataEngine } from "./data/data.ts";
import { calibreEngine } from "./documents/calibre.ts";
import { chromiumEngine } from "./documents/chromium.ts";
import { djvulibreEngine } from "./documents/djvulibre.ts";
import { graphvizEngine } from "./documents/graphviz.ts";
import { mailEngine } from "./documents/mail.ts";
import { pandocEngine } from "./documents/pandoc.ts";
import { fontEngine } from "./fonts/font.ts";
import { fonttoolsEngine } from "./fonts/fonttools.ts";
import { gdalEngine } from "./maps/gdal.ts";
import { gpsbabelEngine } from "./maps/gpsbabel.ts";
import { ffmpegEngine } from "./media/ffmpeg.ts";
import { ffmpegStillsEngine } from "./media/ffmpeg-stills.ts";
import { fluidsynthEngine } from "./media/fluidsynth.ts";
import { subtitleEngine } from "./media/subtitle.ts";
import { assimpEngine } from "./models/assimp.ts";
import { meshoptimizerEngine } from "./models/meshoptimizer.ts";
import { shapesEngine } from "./models/shapes.ts";
import { libreofficeEngine } from "./office/libreoffice.ts";
import { officeChangeEngine } from "./office/office-change.ts";
import { ghostscriptEngine } from "./pdf/ghostscript.ts";
import { mupdfEngine } from "./pdf/mupdf.ts";
import { pdfEngine } from "./pdf/pdf.ts";
import { pdfChangeEngine } from "./pdf/pdf-change.ts";
import { popplerEngine } from "./pdf/poppler.ts";
import { popplerTiffEngine } from "./pdf/poppler-tiff.ts";
import { tesseractEngine } from "./pdf/tesseract.ts";
import { dcmtkEngine } from "./pictures/dcmtk.ts";
import { dwgEngine } from "./pictures/dwg.ts";
import { icnsutilsEngine } from "./pictures/icnsutils.ts";
import { imagemagickEngine, imagemagickExrEngine } from "./pictures/imagemagick.ts";
import { libheifEngine } from "./pictures/libheif.ts";
import { libjxlEngine } from "./pictures/libjxl.ts";
import { librawEngine } from "./pictures/libraw.ts";
import { libtiffEngine } from "./pictures/libtiff.ts";
import { potraceEngine } from "./pictures/potrace.ts";
import { rsvgEngine } from "./pictures/rsvg.ts";
import { sharpEngine } from "./pictures/sharp.ts";
import { svgoEngine } from "./pictures/svgo.ts";

export const engines: readonly Engine[] = [
  sharpEngine,
  imagemagickEngine,
  imagemagickExrEngine,
  libheifEngine,
  libjxlEngine,
  librawEngine,
  dcmtkEngine,
  icnsutilsEngine,
  ffmpegStillsEngine,
  rsvgEngine,
  svgoEngine,
  dwgEngine,
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
  meshoptimizerEngine,
  shapesEngine,
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
