/** Archives: the same entries with the same bytes, unpacked by 7-Zip, Python or the stream's own tool. */
import { createHash } from "node:crypto";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { bytesFrom, python } from "#test/prove/readers/program.ts";
import type { KnownFile } from "#test/prove/samples.ts";

const streams: Readonly<Record<string, readonly string[]>> = {
  gz: ["gzip", "-dc"],
  bz2: ["bzip2", "-dc"],
  xz: ["xz", "-dc"],
  zst: ["zstd", "-dqc"],
  lz4: ["lz4", "-dqc"],
  lz: ["lzip", "-dc"],
  lzma: ["xz", "--format=lzma", "-dc"],
};
/** Compressed tape archives: the stream's own tool, then Python. */
const tapes: Readonly<Record<string, string>> = {
  tar: "cat",
  cbt: "cat",
  tgz: "gzip -dc",
  tbz2: "bzip2 -dc",
  txz: "xz -dc",
  tzst: "zstd -dqc",
  taz: "gzip -dc",
  tlz: "lzip -dc",
  tlz4: "lz4 -dqc",
};
const untar = "import sys, tarfile; tarfile.open(fileobj=sys.stdin.buffer, mode='r|').extractall(sys.argv[1])";

type Content = ReadonlyMap<string, string>;
const truths = new Map<string, Promise<Content>>();

export async function checkEntries({ sample, result, writer }: Case): Promise<Evidence> {
  const truth = truths.get(sample.path) ?? contentOf(sample).then(({ content }) => content);
  truths.set(sample.path, truth);
  const wanted = [...(await truth)];
  const { reader, content } = await contentOf(result, writer);
  if (wanted.length === 0) throw new Error("the sample has no entries");
  // Names in ISO 9660 keep their characters through an extension that each program writes differently.
  return { reader, figures: { entries: wanted.filter(([name, digest]) => content.get(name) === digest).length / wanted.length } };
}

/** A mail's attachments, in the archive made from it. */
export async function checkAttachments({ sample, result, writer }: Case): Promise<Evidence> {
  const names =
    sample.format === "msg" ? await attachmentsOfOutlook(sample) : (JSON.parse(await python(attachments, sample.path)) as string[]);
  const { reader, content } = await contentOf(result, writer);
  const digests = new Set(content.values());
  if (names.length === 0) throw new Error("the sample has no attachments");
  return { reader, figures: { entries: names.filter((digest) => digests.has(digest)).length / names.length } };
}

/** 7-Zip shows an Outlook message as a folder. @see [MS-OXMSG] §2.2.2 */
async function attachmentsOfOutlook(sample: KnownFile): Promise<readonly string[]> {
  const { content } = await contentOf(sample);
  return [...content].flatMap(([name, digest]) => (name.endsWith("/__substg1.0_37010102") ? [digest] : []));
}

/** Digests of the first mail's attachments, by Python's own parser. */
const attachments =
  "import sys, json, hashlib, email, email.policy\nraw = open(sys.argv[1], 'rb').read()\nraw = raw.split(b'\\n', 1)[1] if raw.startswith(b'From ') else raw\n" +
  "m = email.message_from_bytes(raw, policy=email.policy.default)\n" +
  "print(json.dumps([hashlib.sha256(p.get_payload(decode=True)).hexdigest() for p in m.iter_attachments()]))";

async function contentOf(file: KnownFile, writer?: string): Promise<{ readonly reader: string; readonly content: Content }> {
  const stream = streams[file.format];
  if (stream !== undefined) {
    const [program = "", ...args] = stream;
    return { reader: program, content: new Map([["", digestOf(await bytesFrom(program, ...args, file.path))]]) };
  }
  const folder = await mkdtemp(join(tmpdir(), "filemill-entries-"));
  try {
    const reader = await unpack(file, folder, writer);
    const content = new Map<string, string>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      // 7-Zip shows XAR's table of contents as a file.
      if (!entry.isFile() || entry.name === "[TOC].xml") continue;
      const path = join(entry.parentPath, entry.name);
      content.set(path.slice(folder.length + 1).normalize("NFC"), digestOf(await readFile(path)));
    }
    return { reader, content };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Unpacks into a folder and returns the tool's name. */
export async function unpack({ path, format }: KnownFile, folder: string, writer: string | undefined): Promise<string> {
  const tape = tapes[format];
  if (tape !== undefined) {
    try {
      await bytesFrom("sh", "-c", `${tape} < "$1" | /usr/bin/python3 -I -c "$2" "$3"`, "sh", path, untar, folder);
      return "python";
    } catch {
      // Without the stream's own tool, another unpacker may support it.
    }
  }
  const copy = join(folder, `..`, `${folder.slice(folder.lastIndexOf("/") + 1)}.in`);
  await copyFile(path, copy);
  try {
    await bytesFrom("7z", "x", "-y", `-o${folder}`, copy);
    if (format === "rpm") await unpackInner(folder);
    return "7z";
  } catch (error) {
    await bytesFrom("bsdtar", "-xf", copy, "-C", folder).catch(() => {
      throw error;
    });
    return writer === "archive" ? "self" : "bsdtar";
  } finally {
    await rm(copy, { force: true });
  }
}

/** 7-Zip sees one CPIO in a package, which contains the installed files. */
async function unpackInner(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    await bytesFrom("7z", "x", "-y", `-o${folder}`, join(folder, name));
    await rm(join(folder, name));
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
