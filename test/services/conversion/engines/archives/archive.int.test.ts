import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import { parseListing } from "#services/conversion/inspectors/inside/archive-listing.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { cpioFile } from "#test/harness/tar-file.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "archive-samples.py");
const python = async (...args: readonly string[]) => (await run("/usr/bin/python3", ["-I", ...args])).stdout;

/** Names as code page bytes, without the UTF-8 flag, as old programs write them. */
const zipWriter = `
import sys, struct, zlib
path, name, charset = sys.argv[1:]
name, data = name.encode(charset), b"Quokka"
common = struct.pack("<HHHHIIIHH", 0, 0, 0, 0x5A21, zlib.crc32(data), len(data), len(data), len(name), 0)
local = b"PK\\3\\4" + struct.pack("<H", 20) + common + name + data
entry = b"PK\\1\\2" + struct.pack("<HH", 20, 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
end = b"PK\\5\\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
open(path, "wb").write(local + entry + end)
`;

const contents: Readonly<Record<string, Buffer>> = {
  "a.txt": Buffer.from("Quokka\n"),
  "dir/ü b.bin": Buffer.concat(Array.from({ length: 40 }, () => Buffer.from(Array.from({ length: 256 }, (_, at) => at)))),
  empty: Buffer.alloc(0),
};
const digests = Object.fromEntries(
  Object.entries(contents).map(([name, bytes]) => [name, createHash("sha256").update(bytes).digest("hex")]),
);
const packers: Readonly<Record<string, string>> = {
  ...{ gz: "gzip", bz2: "bzip2", xz: "xz", zst: "zstd", lz4: "lz4", lz: "lzip", lzma: "xz --format=lzma" },
};
const plain = Buffer.from("Quokka ".repeat(2000));

// Every reader and every writer; the proof covers all pairs.
const hubs = new Set(["zip", "tar", "cbz", "gz"]);
const hops = archiveEngine.hops.filter(({ from, to }) => hubs.has(from) || hubs.has(to));

testEngine(
  { ...archiveEngine, hops },
  {
    async sample(format, folder) {
      const path = join(folder, `sample.${format}`);
      const packer = packers[format];
      if (existsSync(path)) return path;
      if (packer === undefined) await python(script, "write", format, path);
      else {
        await writeFile(join(folder, "plain"), plain);
        await run("/bin/sh", ["-c", `${packer} -c < '${join(folder, "plain")}' > '${path}'`]);
      }
      return path;
    },
    async check({ to }, _reading, path) {
      const packer = packers[to];
      if (packer === undefined) expect(JSON.parse(await python(script, "read", to, path))).toEqual(digests);
      else expect((await run("/bin/sh", ["-c", `${packer} -dc < '${path}'`])).stdout).toBe(plain.toString());
    },
  },
);

describe("engine archive, in detail", () => {
  const bench = useBench(archiveEngine);

  /** A TAR written by Python; `body` adds members to `t`. */
  async function tarOf(name: string, body: string): Promise<string> {
    const path = join(bench.folder, `${name}.tar`);
    const add =
      "def add(n, c=b'', **k):\n e = tarfile.TarInfo(n); e.size = len(c)\n for a, b in k.items(): setattr(e, a, b)\n t.addfile(e, io.BytesIO(c))";
    await python("-c", `import io, sys, tarfile\nt = tarfile.open(sys.argv[1], 'w')\n${add}\n${body}\nt.close()`, path);
    return path;
  }
  const read = async (kind: string, path: string) => JSON.parse(await python(script, "read", kind, path));

  it("keeps links that stay inside, and leaves out devices and links that lead outside", async () => {
    const path = await tarOf(
      "links",
      "add('a.txt', b'x')\nadd('near', type=tarfile.SYMTYPE, linkname='a.txt')\nadd('far*', type=tarfile.SYMTYPE, linkname='/etc/passwd')\n" +
        "add('d/up', type=tarfile.SYMTYPE, linkname='../../x')\nadd('dev', type=tarfile.CHRTYPE)\nadd('farther', b'kept')",
    );
    const made = await bench.convert(path, "tar", "tgz");
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe(
      "Links that lead nowhere or outside, and special files, were left out: dev, far*, d/up.",
    );
    expect(Object.keys(await read("tgz", made.path)).sort()).toEqual(["a.txt", "farther", "near"]);
    expect(await read("tgz", made.path)).toMatchObject({ near: "-> a.txt" });
  });

  // A TAR with `a` to `.`, `b` to `a/..` and `b/evil.txt` became a ZIP with all three.
  it.each([
    ["a link that leads outside through another", "link('a', '.'); link('b', 'a/..'); add('b/evil.txt', b'x')"],
    ["a link that stays inside", "link('b', 'd'); add('b/evil.txt', b'x'); add('d/f', b'x')"],
    ["a link that replaces a folder", "add('b', type=tarfile.DIRTYPE); link('b', '/tmp'); add('b/evil.txt', b'x')"],
    ["a link that a folder replaces", "link('b', '/tmp'); add('b', type=tarfile.DIRTYPE); add('b/evil.txt', b'x')"],
    ["a link whose name differs only in case", "link('B', '/tmp'); add('b/evil.txt', b'x')"],
    ["a deeply nested link", "add('d/e/f', b'x'); link('d/l', '..'); add('d/l/x/y/evil.txt', b'x')"],
    ["a file", "add('b', b'x'); add('b/evil.txt', b'x')"],
    ["a device", "add('b', type=tarfile.CHRTYPE); add('b/evil.txt', b'x')"],
  ])("refuses a member behind %s", async (name, body) => {
    const path = await tarOf(
      `behind-${name.replaceAll(/\W/g, "-")}`,
      `def link(n, to): add(n, type=tarfile.SYMTYPE, linkname=to)\nadd('good.txt', b'good')\n${body}`,
    );
    for (const to of ["zip", "tgz", "7z", "cpio", "iso"]) {
      await expect(bench.convert(path, "tar", to), to).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
  });

  it("refuses a member behind a link in every archive that can hold one", async () => {
    const evil = join(bench.folder, "evil.zip");
    const zip =
      "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w')\ni = zipfile.ZipInfo('b'); i.create_system = 3; i.external_attr = 0o120777 << 16\n" +
      "z.writestr(i, '/tmp'); z.writestr('b/evil.txt', 'x'); z.close()";
    await python("-c", zip, evil);
    for (const to of ["tar", "iso", "7z"]) await expect(bench.convert(evil, "zip", to)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const cpio = join(bench.folder, "evil.cpio");
    await writeFile(
      cpio,
      cpioFile([
        { name: "b", content: "/tmp", mode: 0o120777 },
        { name: "b/evil.txt", content: "x" },
      ]),
    );
    for (const to of ["tar", "zip"]) await expect(bench.convert(cpio, "cpio", to)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("keeps members that have the inode numbers of files being written", async () => {
    // The file system reuses the inode number for one of the next files there.
    const near = await mkdtemp(join(bench.folder, "scratch", "near-"));
    await writeFile(join(near, "probe"), "");
    const { ino, dev } = await stat(join(near, "probe"));
    const device = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)] as const;
    const names = Array.from({ length: 4000 }, (_, at) => `file-${String(at).padStart(4, "0")}`);
    const cpio = join(bench.folder, "numbers.cpio");
    await writeFile(cpio, cpioFile(names.map((name, at) => ({ name, content: "x", number: Math.max(1, ino - 2000) + at, device }))));
    await rm(near, { recursive: true });
    for (const to of ["tar", "zip"]) {
      const made = await bench.convert(cpio, "cpio", to);
      expect((await run("bsdtar", ["-tf", made.path])).stdout.trim().split("\n").toSorted()).toEqual(names);
    }
  });

  it("keeps only the last of several members with one name, never written through the first", async () => {
    const twins = "add('b', type=tarfile.SYMTYPE, linkname='/tmp/evil')\nadd('b', b'last')\nadd('c', b'x')\nadd('c', b'xyz')";
    for (const to of ["zip", "tgz"]) {
      const made = await bench.convert(await tarOf("twins", twins), "tar", to);
      const listed = (await run("bsdtar", ["-tvf", made.path])).stdout.trim().split("\n");
      expect(listed.map((line) => [line[0], line.at(-1)])).toEqual([
        ["-", "b"],
        ["-", "c"],
      ]);
      expect((await run("bsdtar", ["-xOf", made.path, "b", "c"])).stdout).toBe("lastxyz");
    }
  });

  it("resolves chains of links, and leaves out those that end nowhere or outside", async () => {
    const path = await tarOf(
      "chains",
      "def link(n, to): add(n, type=tarfile.SYMTYPE, linkname=to)\nadd('d/file', b'x')\n" +
        "link('here', '.'); link('out', 'here/..'); link('round', 'round'); link('gone', 'd/missing'); link('win', 'c:x'); link('wide', 'd\\\\file')\n" +
        "link('folder', 'd'); link('through', 'folder/file'); link('d/back', '../d/./file'); link('around', 'd/../d/file')",
    );
    for (const to of ["tgz", "zip"]) {
      const made = await bench.convert(path, "tar", to);
      expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe(
        "Links that lead nowhere or outside, and special files, were left out: gone, out, round and 2 more.",
      );
      const kept = (await run("bsdtar", ["-tf", made.path])).stdout
        .trim()
        .split("\n")
        .filter((name) => !name.endsWith("/"));
      expect(kept.toSorted()).toEqual(["around", "d/back", "d/file", "folder", "here", "through"]);
    }
  });

  it.each([
    ["an absolute name", "/etc/passwd"],
    ["a name above the folder", "../../etc/passwd"],
    ["a missing member", "missing"],
    ["the archive itself", "/input/document"],
    ["a file beside the folder", "../before"],
  ])("refuses a hard link to %s", async (name, target) => {
    const body = `add('one', b'x')\nadd('two', type=tarfile.LNKTYPE, linkname='${target}')`;
    const path = await tarOf(`hard-${name.replaceAll(" ", "-")}`, body);
    for (const to of ["tgz", "zip"]) await expect(bench.convert(path, "tar", to)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("removes setuid, sticky and world-writable permissions, with a note", async () => {
    const path = await tarOf(
      "loose",
      "add('d', type=tarfile.DIRTYPE, mode=0o1777)\nadd('d/tool', b'x', mode=0o6755, uid=1234, gid=999, uname='anna', gname='staff', mtime=1600000000)\n" +
        "add('ü b #', b'y', mode=0o666)\nadd('again', type=tarfile.LNKTYPE, linkname='d/tool', mode=0o6755)\n" +
        "add('near', type=tarfile.SYMTYPE, linkname='d/tool')\nadd('plain', b'z', mode=0o640)",
    );
    for (const [to, modes] of [
      ["tgz", { d: "775", "d/tool": "755", "ü b #": "664", again: "755", plain: "640" }],
      ["cpio", { d: "775", "d/tool": "755", "ü b #": "664", again: "755", plain: "640" }],
      ["zip", { d: "775", "d/tool": "755", "ü b #": "664", again: "755", plain: "640" }],
    ] as const) {
      const made = await bench.convert(path, "tar", to);
      expect(made.notes.has("PERMISSIONS_REDUCED")).toBe(true);
      const args = ["-cf", "-", "--format=mtree", "--options=!all,type,mode,uname,time", `@${made.path}`];
      const members = parseListing((await run("bsdtar", args, { encoding: "latin1" })).stdout);
      const found = members.filter(({ sort }) => sort !== "link").map(({ name, mode }) => [name, mode.toString(8)]);
      expect(Object.fromEntries(found), to).toEqual(modes);
      if (to === "tgz") expect(members.find(({ name }) => name === "d/tool")?.owner).toEqual(["uname=anna", "time=1600000000.0"]);
    }
    const tight = await bench.convert(await tarOf("tight", "add('plain', b'z', mode=0o640)"), "tar", "tgz");
    expect(tight.notes.has("PERMISSIONS_REDUCED")).toBe(false);
  });

  it("stores a hard-linked file twice if the target has no hard links", async () => {
    const path = await tarOf("hard", "add('one', b'same')\nadd('two', type=tarfile.LNKTYPE, linkname='one')");
    for (const to of ["zip", "7z"]) {
      const found = await read(to, (await bench.convert(path, "tar", to)).path);
      expect([found.one, found.two], to).toEqual([createHash("sha256").update("same").digest("hex"), found.one]);
    }
  });

  // A comic repacked from TAR was called damaged: its reader asked for `01.jpg` and the archive contained `./01.jpg`.
  it("writes names without ./ in formats that non-Unix tools read", async () => {
    const path = await tarOf(
      "dotted",
      "add('./', type=tarfile.DIRTYPE)\nadd('./02.png', b'two')\nadd('./d/01.jpg', b'one')\nadd('./near', type=tarfile.SYMTYPE, linkname='./02.png')",
    );
    for (const to of ["zip", "7z"]) {
      const made = (await bench.convert(path, "tar", to)).path;
      const names = (await run("bsdtar", ["-P", "-tf", made])).stdout.trim().split("\n");
      expect(names.filter((name) => !name.endsWith("/")).sort(), to).toEqual(["02.png", "d/01.jpg", "near"]);
      expect(Object.keys(await read(to, made)), to).toContain("d/01.jpg");
    }
  });

  it.each([
    ["a name that leads outside", "add('../evil', b'x')", "INVALID_INPUT"],
    ["an absolute name", "add('/etc/cron.d/evil', b'x')", "INVALID_INPUT"],
    ["a Windows name that leads outside", "add('a\\\\..\\\\..\\\\evil', b'x')", "INVALID_INPUT"],
    ["no files", "add('d', type=tarfile.DIRTYPE)", "INVALID_INPUT"],
  ])("refuses %s", async (name, body, code) => {
    await expect(bench.convert(await tarOf(name.replaceAll(" ", "-"), body), "tar", "zip")).rejects.toMatchObject({ code });
  });

  it.each([
    ["Отчёт/за год.txt", "cp866"],
    ["日本語のファイル.txt", "cp932"],
    ["Grüße.txt", "cp437"],
  ])("reads the name %s of a ZIP in %s", async (name, charset) => {
    const source = join(bench.folder, `${charset}.zip`);
    await python("-c", zipWriter, source, name, charset);
    for (const to of ["tar", "7z"]) {
      const made = await bench.convert(source, "zip", to);
      const names = (await run("bsdtar", ["-tf", made.path], { env: { ...process.env, LC_ALL: "C.UTF-8" } })).stdout;
      expect(names.split("\n")).toContain(name);
      expect(made.notes.get("ENCODING_GUESSED")).toContain("was guessed to be");
    }
  });

  it("refuses bombs, damaged files, passwords and mtree listings", async () => {
    const bomb = join(bench.folder, "bomb.zip");
    await python(
      "-c",
      "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nfor i in range(8): z.writestr(str(i), bytes(2**25))\nz.close()",
      bomb,
    );
    await expect(bench.convert(bomb, "zip", "tar")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    const stream = join(bench.folder, "bomb.gz");
    await run("/bin/sh", ["-c", `head -c 268435456 /dev/zero | gzip -9 > '${stream}'`]);
    await expect(bench.convert(stream, "gz", "xz")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    const cut = join(bench.folder, "cut.tgz");
    await python(script, "write", "tgz", cut);
    await writeFile(cut, (await readFile(cut)).subarray(0, 200));
    await expect(bench.convert(cut, "tgz", "zip")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const locked = join(bench.folder, "locked.7z");
    await run("7z", ["a", "-psecret", "-mhe=on", locked, stream]);
    await expect(bench.convert(locked, "7z", "zip")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    const listing = join(bench.folder, "listing");
    await writeFile(listing, "#mtree\n./x type=file contents=/etc/passwd\n");
    await expect(bench.convert(listing, "tar", "zip")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("applies the compression level", async () => {
    const path = join(bench.folder, "words.zip");
    await python(
      "-c",
      "import random, sys, zipfile\nrandom.seed(1)\nz = zipfile.ZipFile(sys.argv[1], 'w')\nz.writestr('w', ' '.join(random.choice(['quokka','zebra','emu','dingo']) + str(random.randrange(99)) for _ in range(60000)))\nz.close()",
      path,
    );
    for (const to of ["7z", "tgz", "tzst"]) {
      const [quick, small] = [await bench.convert(path, "zip", to, { level: 1 }), await bench.convert(path, "zip", to, { level: 9 })];
      expect((await readFile(small.path)).length, to).toBeLessThan((await readFile(quick.path)).length);
    }
  });
});
