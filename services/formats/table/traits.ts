/** What files of a format can have. A route may promise that nothing of a kind is lost only on this basis. */
import { formatOf } from "./lookup.ts";
import type { Kind } from "./row.ts";

/** A format whose traits are unknown can have all of them: too many warnings are better than too few. */
export const traits = [
  "alpha",
  "movement",
  "orientation",
  "profile",
  "metadata",
  "pages",
  "sheets",
  "tracks",
  "tags",
  "scene",
  "areas",
  "collections",
  "tracksAndPlaces",
  "pictures",
] as const;
export type Trait = (typeof traits)[number];

type Rule = {
  /** Formats of these kinds can have it, except for `except`. */
  readonly kinds?: readonly Kind[];
  readonly except?: ReadonlySet<string>;
  /** These formats can have it too. */
  readonly formats?: ReadonlySet<string>;
};

const set = (ids: string): ReadonlySet<string> => new Set(ids.split(" "));
/** Formats of GPS devices store tracks and nothing else. */
const devices = "gpx tcx fit nmea igc plt loc lmx gpi ov2";

const rules: Readonly<Record<Trait, Rule>> = {
  alpha: {
    kinds: ["diagram"],
    formats: set(
      `png apng webp gif avif heic tiff bmp ico cur icns jxl jp2 j2k psd psb tga dds exr pam qoi xpm sgi dpx ras miff jng mng viff avs pict
      xcf svg svgz emf wmf eps pdf odg otg fodg mov mp4 m4v mkv mk3d webm avi divx flv mxf`.replaceAll(/\s+/g, " "),
    ),
  },
  movement: { kinds: ["video"], formats: set("gif webp apng jxl mng avif") },
  // As a tag that readers must obey. A writer that rotates the pixels leaves no tag.
  orientation: { formats: set("jpg png webp tiff") },
  profile: { formats: set("jpg png webp avif tiff heic jxl jp2 psd psb jng miff dpx") },
  metadata: { formats: set("jpg png apng webp avif tiff heic jxl jp2 psd psb jng miff dng nef arw pef cr2 orf raf rw2") },
  pages: {
    kinds: ["document", "ebook", "presentation", "spreadsheet", "email", "data"],
    formats: set("tiff heic avif dcm dcx miff fits ppm pgm pbm pam viff mtv avs ps odg otg fodg sxd sda vsdx vsd vdx vsdm vstx pub fig"),
  },
  sheets: { kinds: ["spreadsheet"], except: set("dbf dif slk wk1"), formats: set("sqlite mdb") },
  tracks: {
    kinds: ["video"],
    except: set("flv y4m ivf h264 hevc m1v m2v swf"),
    formats: set("m4a m4b m4r alac 3ga mka weba wma ogg oga opus spx"),
  },
  // For sound and video: title, artist, cover, chapters and so on.
  tags: {
    kinds: ["video"],
    except: set("dv ivf h264 hevc m1v m2v"),
    formats: set(
      "mp3 mp2 aac flac m4a m4b m4r alac ogg oga opus spx wma aiff aifc wav rf64 w64 au caf tta wv mka weba 3ga f4a ra mod xm it s3m voc",
    ),
  },
  scene: { kinds: ["model"], except: set("stl ply obj off xyz") },
  areas: { kinds: ["geo", "data"], except: set(devices) },
  // Or entries without a shape.
  collections: { formats: set("shp gdb esrijson geojson geojsonl topojson kml kmz gpkg gml fgb dgn jml mapml csv") },
  tracksAndPlaces: { kinds: ["geo"], except: set("nmea igc plt loc lmx gpi ov2") },
  pictures: {
    kinds: ["document", "ebook", "presentation", "spreadsheet", "email"],
    except: set("txt man dbf dif slk wk1 wq1"),
  },
};

/** Whether a file of the format can have the trait. */
export function canHave(format: string, trait: Trait): boolean {
  const { kinds = [], except, formats } = rules[trait];
  if (formats?.has(format) === true) return true;
  const kind = formatOf(format)?.kind;
  return kind !== undefined && kinds.includes(kind) && except?.has(format) !== true;
}

/** Formats that can be transparent but rarely are: photographs, scans, video frames. */
const mostlyOpaque = set("heic avif jxl tiff jp2 j2k bmp dpx exr ras jng viff avs miff");

/** Whether pictures that are often transparent become pictures that cannot be. */
export function losesTransparency(from: string, to: string): boolean {
  const kind = formatOf(from)?.kind;
  if (kind !== "image" && kind !== "vector" && kind !== "diagram") return false;
  return !mostlyOpaque.has(from) && canHave(from, "alpha") && formatOf(to)?.kind === "image" && !canHave(to, "alpha");
}

export function isTrait(name: string): name is Trait {
  return traits.some((trait) => trait === name);
}
