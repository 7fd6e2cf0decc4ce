/** Timed text. */
import { rowsOf } from "./row.ts";

export const subtitleFormats = rowsOf("subtitle", [
  ["srt", "SubRip subtitles", "srt", "application/x-subrip"],
  ["vtt", "WebVTT subtitles", "vtt", "text/vtt"],
  ["ass", "Advanced SubStation Alpha", "ass", "text/x-ass"],
  ["ssa", "SubStation Alpha", "ssa", "text/x-ssa"],
  ["ttml", "Timed Text (TTML/DFXP)", "ttml dfxp", "application/ttml+xml"],
  ["lrc", "Synchronised lyrics", "lrc", "text/x-lrc"],
  ["sub", "MicroDVD subtitles", "sub", "text/x-microdvd"],
  ["smi", "SAMI captions", "smi sami", "application/x-sami"],
  ["sbv", "YouTube captions", "sbv", "text/x-sbv"],
  ["jss", "JACOsub", "jss", "text/x-jacosub"],
  ["mpl", "MPL2 subtitles", "mpl", "text/x-mpl2"],
  ["rt", "RealText", "rt", "text/vnd.rn-realtext"],
  ["stlsub", "Spruce STL subtitles", "stl", "text/x-spruce-stl"],
  ["sbvw", "SubViewer", "sub", "text/x-subviewer"],
  ["pjs", "Phoenix subtitles", "pjs", "text/x-pjs"],
  ["mks", "Matroska subtitles", "mks", "application/x-matroska"],
]);
