import {
  becomes,
  bytes,
  differs,
  type Effect,
  effectsOf,
  gains,
  larger,
  latin1,
  loses,
  pdfInfo,
  pdfPictures,
  pictured,
  size,
  smaller,
  text,
} from "./effect.ts";

const pageSize = pdfInfo("Page size");
const toPng = { hop: "jpg>png", sample: "noise.jpg" } as const;
const ownJpg = { hop: "jpg>jpg", sample: "noise.jpg" } as const;
const toJpg = { hop: "png>jpg", sample: "noise.png" } as const;
const toWebp = { hop: "png>webp", sample: "noise.png" } as const;
const developed = { hop: "dng>tiff", sample: "camera.dng" } as const;
const mean = async (path: string): Promise<number> => Number(await pictured("%[fx:mean]")(path));
const corner = pictured("%[pixel:p{39,0}]");

/** For a picture of 64 × 48 pixels in Display P3 with a transparent right half. */
function reshaped(from: string, sample: string): readonly Omit<Effect, "engine">[] {
  const toJpg = { hop: `${from}>jpg`, sample } as const;
  return [
    { ...toJpg, option: "width", given: { width: 32 }, figure: size, shows: becomes("32x24") },
    { ...toJpg, option: "height", given: { height: 12 }, figure: size, shows: becomes("16x12") },
    {
      ...toJpg,
      option: "fit",
      base: { width: 20, height: 20 },
      given: { width: 20, height: 20, fit: "cover" },
      figure: size,
      shows: becomes("20x20"),
    },
    {
      ...toJpg,
      option: "enlarge",
      base: { width: 128 },
      given: { width: 128, enlarge: true },
      figure: size,
      shows: becomes("128x96"),
    },
    { hop: `${from}>png`, sample, option: "rotate", given: { rotate: "90" }, figure: size, shows: becomes("48x64") },
    { ...toJpg, option: "background", given: { background: "#000000" }, figure: pictured("%[fx:int(p{60,20}.r*3)]"), shows: becomes("0") },
    { ...toJpg, option: "profile", given: { profile: "srgb" }, figure: latin1, shows: loses(/ICC_PROFILE/) },
  ];
}

const ownSvg = { hop: "svg>svg", sample: "active.svg" } as const;

export const pictureEffects = [
  ...effectsOf("sharp", [
    { ...toPng, option: "compressionLevel", given: { compressionLevel: 0 }, figure: bytes, shows: larger },
    { ...toJpg, option: "progressive", given: { progressive: true }, figure: pictured("%[interlace]"), shows: becomes("JPEG") },
    { ...toPng, option: "colours", given: { colours: 4 }, figure: async (path) => Number(await pictured("%k")(path)), shows: smaller },
    { ...toJpg, option: "width", given: { width: 64 }, figure: size, shows: becomes("64x48") },
    { ...toJpg, option: "height", given: { height: 24 }, figure: size, shows: becomes("32x24") },
    {
      ...toJpg,
      option: "fit",
      given: { fit: "cover", width: 20, height: 20 },
      base: { width: 20, height: 20 },
      figure: size,
      shows: becomes("20x20"),
    },
    { ...toJpg, option: "enlarge", given: { enlarge: true, width: 256 }, base: { width: 256 }, figure: size, shows: becomes("256x192") },
    { hop: "png>jpg", sample: "alpha.png", option: "background", given: { background: "#00ff00" }, figure: corner, shows: differs },
    { ...toJpg, option: "rotate", given: { rotate: "90" }, figure: size, shows: becomes("96x128") },
    { ...toPng, option: "metadata", given: { metadata: "strip" }, figure: latin1, shows: loses(/Quokka/) },
    { hop: "png>jpg", sample: "wide.png", option: "profile", given: { profile: "keep" }, figure: latin1, shows: gains(/ICC_PROFILE/) },
    { hop: "png>jpg", sample: "wide.png", option: "profile", given: { profile: "strip" }, figure: corner, shows: differs },
    { ...toJpg, option: "density", given: { density: 300 }, figure: pictured("%x"), shows: becomes("300") },
    { ...toJpg, option: "quality", given: { quality: 10 }, figure: bytes, shows: smaller },
    { ...toWebp, option: "lossless", given: { lossless: true }, figure: bytes, shows: larger },
    { ...toWebp, option: "effort", given: { effort: 0 }, figure: bytes, shows: differs },
    { hop: "jpg>tiff", sample: "two.jpg", option: "compression", given: { compression: "none" }, figure: bytes, shows: larger },
    { ...toJpg, option: "chroma", given: { chroma: "4:4:4" }, figure: pictured("%[jpeg:sampling-factor]"), shows: becomes("1x1,1x1,1x1") },
    { hop: "tiff>png", sample: "pages.tiff", option: "page", given: { page: 2 }, figure: size, shows: becomes("30x10") },
    { ...ownJpg, option: "maxKb", given: { maxKb: 4 }, figure: bytes, shows: smaller },
    { ...ownJpg, option: "crop", given: { crop: "50x40+10+20" }, figure: size, shows: becomes("50x40") },
    { hop: "png>png", sample: "two.png", option: "flip", given: { flip: "horizontal" }, figure: corner, shows: differs },
    { ...ownJpg, option: "lossless", base: { quality: 30 }, given: { quality: 30, lossless: true }, figure: bytes, shows: larger },
    { hop: "svg>png", sample: "drawing.svg", option: "density", given: { density: 192 }, figure: size, shows: becomes("192x96") },
  ]),
  ...effectsOf("imagemagick", [
    { hop: "tiff>bmp", sample: "pages.tiff", option: "page", given: { page: 2 }, figure: size, shows: becomes("30x10") },
    { hop: "png>bmp", sample: "noise.png", option: "width", given: { width: 64 }, figure: size, shows: becomes("64x48") },
    { hop: "bmp>png", sample: "two.bmp", option: "height", given: { height: 20 }, figure: size, shows: becomes("30x20") },
    { hop: "png>ico", sample: "two.png", option: "size", given: { size: 16 }, figure: size, shows: becomes("16x16") },
    { hop: "png>dds", sample: "noise.png", option: "compression", given: { compression: "none" }, figure: bytes, shows: larger },
    { hop: "png>pbm", sample: "noise.png", option: "dither", given: { dither: false }, figure: latin1, shows: differs },
    {
      hop: "tiff>tiff",
      sample: "scan.tiff",
      option: "metadata",
      given: { metadata: "strip" },
      figure: pictured("%[tiff:artist]"),
      shows: loses(/Quokka/),
    },
    { hop: "tiff>tiff", sample: "scan.tiff", option: "crop", given: { crop: "20x10+5+5" }, figure: size, shows: becomes("20x10") },
    { hop: "tiff>tiff", sample: "scan.tiff", option: "rotate", given: { rotate: "90" }, figure: size, shows: becomes("48x64") },
    { hop: "bmp>bmp", sample: "two.bmp", option: "flip", given: { flip: "horizontal" }, figure: latin1, shows: differs },
    { hop: "png>jp2", sample: "noise.png", option: "quality", given: { quality: 20 }, figure: bytes, shows: smaller },
  ]),
  ...effectsOf("imagemagick-exr", [
    { hop: "png>exr", sample: "noise.png", option: "width", given: { width: 64 }, figure: size, shows: becomes("64x48") },
    { hop: "png>exr", sample: "noise.png", option: "height", given: { height: 24 }, figure: size, shows: becomes("32x24") },
    { hop: "tiff>exr", sample: "pages.tiff", option: "page", given: { page: 2 }, figure: size, shows: becomes("30x10") },
  ]),
  ...effectsOf("dcmtk", [
    { hop: "dcm>png", sample: "frames.dcm", option: "width", given: { width: 20 }, figure: size, shows: becomes("20x10") },
    { hop: "dcm>png", sample: "frames.dcm", option: "height", given: { height: 5 }, figure: size, shows: becomes("10x5") },
    { hop: "dcm>png", sample: "frames.dcm", option: "page", given: { page: 2 }, figure: bytes, shows: differs },
  ]),
  ...effectsOf("libheif", [
    ...reshaped("heic", "photo.heic"),
    { hop: "heic>jpg", sample: "photo.heic", option: "metadata", given: { metadata: "strip" }, figure: latin1, shows: loses(/Quokka/) },
    { hop: "heic>jpg", sample: "photo.heic", option: "quality", given: { quality: 10 }, figure: bytes, shows: smaller },
    { hop: "heic>pdf", sample: "photo.heic", option: "pageSize", given: { pageSize: "a4" }, figure: pageSize, shows: gains(/A4/) },
    { hop: "heic>pdf", sample: "photo.heic", option: "margin", given: { margin: 20 }, figure: pageSize, shows: differs },
    { hop: "heic>pdf", sample: "photo.heic", option: "density", given: { density: 300 }, figure: pageSize, shows: differs },
    { hop: "png>heic", sample: "noise.png", option: "effort", given: { effort: "medium" }, figure: bytes, shows: differs },
  ]),
  ...effectsOf("libjxl", [
    ...reshaped("jxl", "photo.jxl"),
    { hop: "jxl>jpg", sample: "noise.jxl", option: "metadata", given: { metadata: "strip" }, figure: latin1, shows: loses(/Quokka/) },
    { hop: "png>jxl", sample: "noise.png", option: "quality", given: { quality: 20 }, figure: bytes, shows: smaller },
    { hop: "png>jxl", sample: "noise.png", option: "lossless", given: { lossless: true }, figure: bytes, shows: larger },
    { hop: "png>jxl", sample: "noise.png", option: "effort", given: { effort: 1 }, figure: bytes, shows: differs },
  ]),
  ...effectsOf("libraw", [
    { ...developed, option: "whiteBalance", given: { whiteBalance: "auto" }, figure: mean, shows: differs },
    { ...developed, option: "brightness", given: { brightness: 0.4 }, figure: mean, shows: smaller },
    {
      ...developed,
      option: "highlights",
      given: { whiteBalance: "auto", highlights: "blend" },
      base: { whiteBalance: "auto" },
      figure: pictured("%#"),
      shows: differs,
    },
    { ...developed, option: "halfSize", given: { halfSize: true }, figure: size, shows: becomes("160x120") },
    { ...developed, option: "depth", given: { depth: "16" }, figure: pictured("%z"), shows: becomes("16") },
  ]),
  ...effectsOf("icnsutils", [
    { hop: "icns>png", sample: "icon.icns", option: "size", given: { size: "128" }, figure: size, shows: becomes("128x128") },
    { hop: "png>icns", sample: "noise.png", option: "size", given: { size: 32 }, figure: bytes, shows: smaller },
  ]),
  ...effectsOf("svgo", [
    { ...ownSvg, option: "precision", given: { precision: 0 }, figure: bytes, shows: smaller },
    { ...ownSvg, option: "scripts", given: { scripts: "strip" }, figure: latin1, shows: loses(/alert/) },
    { ...ownSvg, option: "external", given: { external: "strip" }, figure: latin1, shows: loses(/a\.example/) },
    { ...ownSvg, option: "metadata", given: { metadata: "strip" }, figure: latin1, shows: loses(/Quokka/) },
  ]),
  ...effectsOf("rsvg", [
    { hop: "svg>pdf", sample: "drawing.svg", option: "density", given: { density: 192 }, figure: pdfInfo("Page size"), shows: differs },
  ]),
  ...effectsOf("potrace", [
    { hop: "bmp>svg", sample: "grey.bmp", option: "threshold", given: { threshold: 0.8 }, figure: bytes, shows: larger },
    { hop: "bmp>svg", sample: "two.bmp", option: "speckles", given: { speckles: 100 }, figure: bytes, shows: smaller },
    {
      hop: "bmp>svg",
      sample: "two.bmp",
      option: "smoothness",
      given: { smoothness: 0 },
      figure: text,
      shows: (without, given) => {
        expectCurves(without, given);
      },
    },
    { hop: "bmp>svg", sample: "two.bmp", option: "invert", given: { invert: true }, figure: text, shows: differs },
  ]),
  ...effectsOf("libtiff", [
    {
      hop: "tiff>pdf",
      sample: "pages.tiff",
      option: "pageSize",
      given: { pageSize: "a4" },
      figure: pdfInfo("Page size"),
      shows: gains(/A4/),
    },
  ]),
  ...effectsOf("ghostscript", [
    { hop: "pdf>pdfa", sample: "pages.pdf", option: "pages", given: { pages: "2" }, figure: pdfInfo("Pages"), shows: becomes("1") },
    { hop: "pdf>pdfa", sample: "pages.pdf", option: "part", given: { part: "3" }, figure: latin1, shows: gains(/pdfaid:part="3"/) },
    { hop: "pdf>pdfa", sample: "picture.pdf", option: "pictures", given: { pictures: "72" }, figure: pdfPictures, shows: differs },
    { hop: "eps>pdf", sample: "page.eps", option: "crop", given: { crop: false }, figure: pdfInfo("Page size"), shows: differs },
  ]),
];

/** Polygons have no Bézier curves. */
function expectCurves(without: string | number, given: string | number): void {
  const curves = (svg: string | number) => String(svg).match(/[cC]-?\d/g)?.length ?? 0;
  smaller(curves(without), curves(given));
}
