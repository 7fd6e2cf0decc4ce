/** Classes GS1 to GS3, Z1 to Z3 of archives, and DA: PostScript as a program, archives as traps, data that expands. */
import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { tarFile } from "#test/harness/tar-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { type Attack, attackOnTo, attackTo, early } from "./attack.ts";

const attack = attackTo(["pdf"]);
const packed = attackOnTo("archive", ["tar"]);

const ps = (program: string) => `%!PS\n/Courier findfont 12 scalefont setfont 50 700 moveto\n${program}\nshowpage\n`;
const zeros = Buffer.alloc(1_000_000);

/** A gzip file of this many megabytes of zeros. */
function gzipBomb(megabytes: number): Buffer {
  const block = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH });
  const head = gzipSync("").subarray(0, 10);
  return Buffer.concat([head, ...Array<Buffer>(megabytes).fill(block), deflateRawSync(""), Buffer.alloc(8)]);
}

const aliases = `a0: &a0 [lol, lol]\n${Array.from({ length: 30 }, (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`).join("")}`;

export const toolAttacks: readonly Attack[] = [
  attack(
    "ghostscript",
    "GS1-read",
    "PostScript that prints a host's file",
    "a.ps",
    ({ secretFile }) => ps(`(${secretFile}) (r) file 256 string readline pop dup print show`),
    "INVALID_INPUT",
  ),
  attack(
    "ghostscript",
    "GS1-run",
    "PostScript that runs a host's file, and so tells it as an error",
    "a.ps",
    ({ secretFile }) => ps(`(${secretFile}) run`),
    "INVALID_INPUT",
  ),
  attack(
    "ghostscript",
    "GS1-list",
    "PostScript that lists the host's folders",
    "a.ps",
    ({ outDir }) => ps(`(${outDir}/../*) {print (\\n) print} 256 string filenameforall`),
    "converts",
  ),
  attack(
    "ghostscript",
    "GS2-write",
    "PostScript that writes to the host",
    "a.ps",
    ({ outDir }) => ps(`(${outDir}/gs) (w) file dup (x) writestring closefile`),
    "INVALID_INPUT",
  ),
  attack(
    "ghostscript",
    "GS2-pipe",
    "PostScript that starts a program (CVE-2023-36664)",
    "a.ps",
    ({ outDir }) => ps(`(%pipe%touch ${outDir}/gs) (w) file closefile`),
    "INVALID_INPUT",
  ),
  attack(
    "ghostscript",
    "GS2-output",
    "PostScript that sends its pages to a program",
    "a.eps",
    ({ outDir }) => ps(`mark /OutputFile (%pipe%touch ${outDir}/gs) currentdevice putdeviceprops pop`),
    "INVALID_INPUT",
  ),
  attack("ghostscript", "GS3-loop", "PostScript that never ends", "a.ps", () => ps("{} loop"), "CONVERSION_TIMEOUT"),
  attack(
    "ghostscript",
    "GS3-memory",
    "PostScript that takes all memory",
    "a.ps",
    () => ps("/held 60000 array def 0 1 59999 { held exch 65535 string dup 0 65535 getinterval dup 0 1 put pop put } for"),
    "is bounded",
  ),
  attack(
    "ghostscript",
    "GS3-page",
    "PostScript with a page of a hundred metres",
    "a.ps",
    () => ps("<< /PageSize [300000 300000] >> setpagedevice 9 9 99 99 rectfill"),
    "INPUT_TOO_COMPLEX",
    { to: ["png"] },
  ),
  attack(
    "rsvg",
    "IM4-paper",
    "an SVG with pictures of the host and the network, on paper",
    "a.svg",
    ({ url, secretPicture }) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><image href="file://${secretPicture}" width="9" height="9"/><image href="${secretPicture}" width="9" height="9"/><image href="${url}/rsvg.png" width="9" height="9"/></svg>`,
    "converts",
  ),
  packed(
    "Z1-slip",
    "members above the folder and at the root",
    "a.zip",
    ({ outDir }) =>
      zipFile([
        { name: `../../../../../..${outDir}/slip`, content: "x" },
        { name: `${outDir}/slip`, content: "x" },
      ]),
    "INVALID_INPUT",
    early,
  ),
  packed(
    "Z1-links",
    "a link to the host, and a member behind it",
    "a.tar",
    ({ outDir, secretFile }) =>
      tarFile([
        { name: "out", link: outDir, type: "2" },
        { name: "out/slip", content: "x" },
        { name: "secret", link: secretFile, type: "2" },
        { name: "hard", link: secretFile, type: "1" },
      ]),
    "INVALID_INPUT",
    { to: ["zip", "7z"] },
  ),
  packed(
    "Z1-devices",
    "devices and pipes",
    "a.tar",
    () =>
      tarFile([
        { name: "a", content: "x" },
        { name: "null", type: "3" },
        { name: "pipe", type: "6" },
      ]),
    "converts",
    { to: ["zip"] },
  ),
  packed(
    "Z2-zip",
    "four gigabytes in a small zip",
    "a.zip",
    () => zipFile([{ name: "zeros", content: zeros, repeat: 4000 }]),
    "INPUT_TOO_COMPLEX",
    { ...early, to: ["7z", "tar"] },
  ),
  packed(
    "Z2-untrue",
    "four gigabytes that claim to be ten bytes",
    "a.zip",
    () => zipFile([{ name: "zeros", content: zeros, repeat: 4000, statedBytes: 10 }]),
    "INPUT_TOO_COMPLEX",
    { ...early, to: ["7z", "tar"] },
  ),
  packed("Z2-gzip", "twenty gigabytes of one file", "a.gz", () => gzipBomb(20_000), "is bounded", { to: ["xz"] }),
  packed(
    "Z2-shared",
    "members that share their bytes",
    "a.zip",
    () =>
      zipFile([
        { name: "a", content: zeros },
        ...Array.from({ length: 50 }, (_, index) => ({ name: `b${index}`, content: "", overlaps: true, statedBytes: 1_000_000 })),
      ]),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  packed(
    "Z3-password",
    "a member with a password",
    "a.zip",
    () => zipFile([{ name: "a.txt", content: "x", isEncrypted: true }]),
    "PASSWORD_REQUIRED",
    early,
  ),
  attack("data", "DA1-aliases", "YAML aliases that unfold to a billion", "a.yaml", () => aliases, "INPUT_TOO_COMPLEX", { to: ["json"] }),
  attack(
    "data",
    "DA2-external",
    "XML with an entity that is a host's file",
    "a.xml",
    ({ secretFile }) => `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file://${secretFile}">]><a><b>&x;</b></a>`,
    "INVALID_INPUT",
    { ...early, to: ["json"] },
  ),
  attack(
    "data",
    "DA3-depth",
    "lists inside each other, 200,000 deep",
    "a.json",
    () => "[".repeat(200_000) + "]".repeat(200_000),
    "INPUT_TOO_COMPLEX",
    { to: ["yaml", "xml"] },
  ),
  attack(
    "data",
    "DA4-prototype",
    "keys that are properties of every object",
    "a.json",
    () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1}',
    "converts",
    { to: ["yaml", "xml", "plist"] },
  ),
];
