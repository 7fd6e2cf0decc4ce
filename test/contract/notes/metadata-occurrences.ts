/** Files with picture metadata that raises notes, by the common rule of all engines (decision 56). */
import { dicomOf } from "#test/services/conversion/engines/pictures/dicom-samples.ts";
import { twoColours } from "#test/services/conversion/engines/pictures/picture-samples.ts";
import { copy, type Occurrence } from "./occurrence.ts";
import { magick, run } from "./tools.ts";

const somewhere = { IFD0: { Artist: "Quokka" }, IFD3: { GPSLatitude: "48/1 51/1 27/1", GPSLatitudeRef: "N" } };
const located = (path: string) => twoColours().withExif(somewhere).toFile(path);
const place = ["-GPSLatitude=51.5", "-GPSLatitudeRef=N"];
const taggedSample =
  (format: string, ...tags: readonly string[]) =>
  async (path: string) => {
    await copy(`image/typical.${format}`, path);
    await run("exiftool", ["-q", "-overwrite_original", ...tags, path]);
  };

export const metadata: readonly Occurrence[] = [
  { engine: "sharp", hop: "jpg>webp", code: "PLACE_KEPT", content: located },
  { engine: "libraw", hop: "dng>tiff", code: "METADATA_DROPPED", content: taggedSample("dng", "-XMP:City=London") },
  { engine: "libraw", hop: "dng>tiff", code: "PLACE_KEPT", content: taggedSample("dng", ...place) },
  ...(["METADATA_DROPPED", "MEDIA_CHANGED", "PAGES_LEFT_OUT"] as const).map(
    (code): Occurrence => ({ engine: "dcmtk", hop: "dcm>png", code, content: dicomOf({ columns: 2, rows: 1, values: [1, 2, 3, 4] }) }),
  ),
  { engine: "icnsutils", hop: "png>icns", code: "METADATA_DROPPED", content: located },
  { engine: "imagemagick", hop: "png>bmp", code: "METADATA_DROPPED", content: located },
  { engine: "imagemagick-exr", hop: "png>exr", code: "METADATA_DROPPED", content: located },
  { engine: "ffmpeg-stills", hop: "png>tga", code: "METADATA_DROPPED", content: located },
  { engine: "libheif", hop: "png>heic", code: "PLACE_KEPT", content: located },
  {
    engine: "libheif",
    hop: "png>heic",
    code: "METADATA_DROPPED",
    content: (path) => magick("-size", "64x64", "xc:red", "-set", "comment", "A", path),
  },
  { engine: "libjxl", hop: "jpg>jxl", code: "PLACE_KEPT", content: located },
  { engine: "mupdf", hop: "jpg>pdf", code: "PLACE_KEPT", content: located },
  { engine: "mupdf", hop: "png>pdf", code: "METADATA_DROPPED", content: located },
  { engine: "imagemagick", hop: "psd>png", code: "PLACE_KEPT", content: taggedSample("psd", ...place) },
  { engine: "libtiff", hop: "tiff>pdf", code: "METADATA_DROPPED", content: taggedSample("tiff", "-Artist=Quokka") },
];
