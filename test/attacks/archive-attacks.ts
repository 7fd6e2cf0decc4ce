/** Classes Z1 and Z2 in archives other than zip: members that leave the folder, and decompression bombs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { cpioFile, tarFile } from "#test/harness/tar-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import type { Attack } from "./attack.ts";

const attack = (
  id: string,
  what: string,
  fileName: string,
  content: Attack["content"],
  outcome: Attack["outcome"],
  to: readonly string[] = ["zip"],
  more: Partial<Attack> = {},
): Attack => ({ id, what, engine: "archive", fileName, content, outcome, to, ...more });

const symbolicLink = 0o120777;
const above = (path: string): string => `../../../../../../..${path}`;

/** Packed by the actual program, with a link inside. */
function packedLink(target: string, format: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "filemill-link-"));
  try {
    symlinkSync(target, join(folder, "secret"));
    execFileSync("bsdtar", ["-cf", join(folder, "packed"), `--format=${format}`, "-C", folder, "secret"]);
    return readFileSync(join(folder, "packed"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Zeros, compressed repeatedly: by a factor of a thousand each time. */
function layered(megabytes: number, layers: number): Buffer {
  let bytes = gzipSync(tarFile([{ name: "zeros", content: Buffer.alloc(megabytes * 1e6) }]));
  for (let layer = 1; layer < layers; layer++) bytes = gzipSync(bytes);
  return bytes;
}

/** A file of eight terabytes without any stored data. @see GNU tar, PAX sparse format 1.0 */
function sparseTar(): Buffer {
  const records = ["GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=hole", "GNU.sparse.realsize=8000000000000"].map((text) => {
    const length = text.length + 2;
    const digits = String(length + String(length + 2).length).length;
    return `${length + digits} ${text}\n`;
  });
  const map = "1\n8000000000000\n0\n".padEnd(512, "\0");
  return tarFile([
    { name: "pax/hole", type: "x", content: records.join("") },
    { name: "hole", content: map },
  ]);
}

/** More conversions than one request may ask for. */
const tooMany = (): Buffer => zipFile(Array.from({ length: 600 }, (_, index) => ({ name: `${index}.txt`, content: "x" })));

export const archiveAttacks: readonly Attack[] = [
  attack("Z2-join", "600 files to join, each a conversion of its own", "a.zip", tooMany, "INPUT_TOO_COMPLEX", ["pdf"], {
    engine: "join-pdf",
  }),
  attack(
    "Z1-cpio",
    "cpio members above the folder and at the root",
    "a.cpio",
    ({ outDir }) =>
      cpioFile([
        { name: above(`${outDir}/slip`), content: "x" },
        { name: `${outDir}/slip`, content: "x" },
      ]),
    "INVALID_INPUT",
    ["zip", "tar"],
  ),
  attack(
    "Z1-through",
    "a cpio link to a host's folder and a member behind it",
    "a.cpio",
    ({ outDir }) =>
      cpioFile([
        { name: "a.txt", content: "x" },
        { name: "door", content: outDir, mode: symbolicLink },
        { name: "door/slip", content: "x" },
      ]),
    "is bounded",
    ["zip", "tar", "7z"],
  ),
  attack(
    "Z1-hard",
    "a tar member that is another name of a host's file",
    "a.tar",
    ({ secretFile, secretPicture }) =>
      tarFile([
        { name: "a.txt", content: "x" },
        { name: "secret.txt", link: secretFile, type: "1" },
        { name: "secret.png", link: above(secretPicture), type: "1" },
      ]),
    "is bounded",
    ["zip", "7z", "iso"],
  ),
  attack(
    "Z1-soft",
    "a tar with links to a host's file, and a file",
    "a.tar",
    ({ secretFile }) =>
      tarFile([
        { name: "a.txt", content: "x" },
        { name: "secret", link: secretFile, type: "2" },
        { name: "up", link: above(secretFile), type: "2" },
      ]),
    "converts",
    ["zip", "7z", "cpio"],
  ),
  attack(
    "Z1-zip",
    "a zip with a link to a host's file, and a file",
    "a.zip",
    ({ secretFile }) =>
      zipFile([
        { name: "a.txt", content: "x" },
        { name: "secret", content: secretFile, isLink: true },
      ]),
    "converts",
    ["tar", "7z"],
  ),
  attack(
    "Z1-seven",
    "a 7z that is nothing but a link to a host's file",
    "a.7z",
    ({ secretFile }) => packedLink(secretFile, "7zip"),
    "INVALID_INPUT",
    ["zip", "tar"],
  ),
  attack(
    "Z1-disc",
    "a disc image with a link to a host's file",
    "a.iso",
    ({ secretFile }) => packedLink(secretFile, "iso9660"),
    "INVALID_INPUT",
    ["zip", "tar"],
  ),
  attack(
    "Z1-mtree",
    "a list of the host's files, which the program takes for an archive",
    "a.tar",
    ({ secretFile }) => `#mtree\nsecret type=file contents=${secretFile}\n`,
    "INVALID_INPUT",
    ["zip"],
    { query: "from=tar" },
  ),
  attack(
    "Z1-spaced",
    "the same list behind blank lines",
    "a.tar",
    ({ secretFile }) => `\n\n#mtree v2.0\n./secret type=file contents=${secretFile}\n`,
    "CONVERSION_FAILED",
    ["zip"],
    { query: "from=tar" },
  ),
  attack("Z2-layers", "half a gigabyte, compressed four times over", "a.tgz", () => layered(500, 4), "is bounded"),
  attack("Z2-sparse", "a tar with a hole of eight terabytes", "a.tar", sparseTar, "is bounded"),
  attack(
    "Z2-stated",
    "a tar member that states eight gigabytes",
    "a.tar",
    () => tarFile([{ name: "a", content: "x", statedBytes: 2 ** 33 - 1 }]),
    "INVALID_INPUT",
  ),
  attack(
    "Z2-understated",
    "a ZIP whose member states a hundred bytes of its five megabytes, so that the rest would be lost without a word",
    "a.zip",
    () =>
      zipFile([
        { name: "a.txt", content: "a" },
        { name: "b.bin", content: Buffer.alloc(1_000_000), repeat: 5, statedBytes: 100 },
      ]),
    "INVALID_INPUT",
    ["tar", "7z"],
    { isEarly: true },
  ),
  attack(
    "Z2-members",
    "a tar of two hundred thousand empty members",
    "a.tgz",
    () => gzipSync(tarFile(Array.from({ length: 200_000 }, (_, index) => ({ name: `a${index}` })))),
    "is bounded",
  ),
  attack(
    "Z2-dictionary",
    "an xz stream that asks for four gigabytes of memory",
    "a.xz",
    () => {
      const bytes = execFileSync("xz", ["-9", "--stdout"], { input: Buffer.alloc(100_000, "text ") });
      // The dictionary size is the property of the LZMA2 filter in the block header.
      bytes[bytes.indexOf(Buffer.from("2101", "hex")) + 2] = 40;
      return bytes;
    },
    "INVALID_INPUT",
    ["gz"],
  ),
];
