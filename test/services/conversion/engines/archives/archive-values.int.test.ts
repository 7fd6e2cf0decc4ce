/** Times, names, permissions and comments of archives, which the contents of their members do not show. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const bench = useBench(archiveEngine);

/** Each body adds to `a`: a ZipFile, or a TarFile with names in Latin-1. */
const writer = `
import io, struct, sys, tarfile, zipfile, zlib
kind, path, body = sys.argv[1:]
def windows(seconds): return struct.pack('<HHIHHQQQ', 10, 32, 0, 1, 24, *[int((seconds + 11644473600) * 10**7)] * 3)
def unix(seconds): return struct.pack('<HHBi', 0x5455, 5, 1, seconds)
def entry(name, content, extra=b'', comment=b''):
    i = zipfile.ZipInfo(name, (2020, 9, 13, 14, 26, 40)); i.extra, i.comment = extra, comment
    a.writestr(i, content)
def named(name, extra, unicode=''):
    raw, text = name.encode('cp437'), unicode.encode()
    zipfile.ZipInfo._encodeFilenameFlags = lambda self: (raw, 0)
    entry(name, 'x', extra + (struct.pack('<HHBI', 0x7075, 5 + len(text), 1, zlib.crc32(raw)) + text if text else b''))
def member(name, **more):
    e = tarfile.TarInfo(name); e.mtime, e.size = 1600000001, 0 if 'linkname' in more else 1
    for key, value in more.items(): setattr(e, key, value)
    a.addfile(e, io.BytesIO(b'x'))
with (zipfile.ZipFile(path, 'w') if kind == 'zip' else tarfile.open(path, 'w', format=tarfile.GNU_FORMAT, encoding='latin-1')) as a: exec(body)
`;
const readers: Readonly<Record<string, string>> = {
  tar: "import sys, tarfile\nfor m in tarfile.open(sys.argv[1]): print(m.name, oct(m.mode & 0o777), m.mtime, m.uid)",
  zip: "import sys, zipfile\nfor i in zipfile.ZipFile(sys.argv[1]).infolist(): print(i.filename, oct(i.external_attr >> 16 & 0o777), i.date_time[3])",
};

async function converted(from: string, body: string, to: string) {
  const source = join(bench.folder, `source.${from}`);
  await run("/usr/bin/python3", ["-I", "-c", writer, from, source, body]);
  const { path, notes } = await bench.convert(source, from, to);
  const reader = readers[to];
  const said = reader === undefined ? await run("7z", ["l", "-slt", path]) : await run("/usr/bin/python3", ["-I", "-c", reader, path]);
  return { said: said.stdout, notes: [...notes] };
}

it.each([
  // 7-Zip on Windows stores the exact time in an extra field; the usual field has no time zone.
  ["zip", "entry('a', 'x', windows(1600000001.5))", "tar", ["a 0o600 1600000001.5 0"], []],
  // WinZip and 7-Zip write names in a code page, WinZip with Unicode and backslashes in a field.
  ["zip", "named('Größe', windows(1600000001.5))", "tar", ["Größe 0o600 1600000001.5 0"], ["ENCODING_GUESSED"]],
  ["zip", "named('ä\\\\b', windows(1600000001.5), 'ä\\\\b')", "tar", ["ä/b 0o600 1600000001.5 0"], ["NAMES_CHANGED"]],
  ["zip", "entry('a', 'x' * 999, windows(1600000001))", "zip", ["a 0o600 12"], []],
  ["zip", "entry('a', 'x', windows(1600000001.5))", "zip", ["a 0o600 12"], ["NUMBERS_ROUNDED"]],
  // Old programs on Unix write times with a sign; it was read as 2106.
  ["zip", "entry('a', 'x', unix(-86400))", "tar", ["a 0o600 -86400.0 0"], []],
  // Archives of GitHub have the commit as their comment.
  ["zip", "a.comment = b'f00'; entry('a', 'x')", "tar", ["a 0o600 1600007200 0"], ["METADATA_DROPPED"]],
  ["zip", "entry('a', 'x', comment=b'f00')", "tar", ["a 0o600"], ["METADATA_DROPPED"]],
  ["zip", "a.comment = b'f00'; entry('a', 'x')", "zip", ["a 0o600 14"], ["SOURCE_KEPT"]],
  ["zip", "entry('a', 'x'); entry('b', 'x'); entry('a', 'y')", "tar", ["a 0o600", "b 0o600"], ["ENTRIES_LEFT_OUT"]],
  [
    "tar",
    "member('d', type=tarfile.DIRTYPE, size=0); member('d', type=tarfile.DIRTYPE, size=0); member('d/a')",
    "zip",
    ["d/a 0o644 12"],
    [],
  ],
  // Old programs write names as bytes, which other formats do not store.
  [
    "tar",
    "member('Größe.txt', mode=0o755, uid=7); member('Übung/ä.txt')",
    "zip",
    ["Größe.txt 0o755 12", "Übung/ä.txt 0o644 12"],
    ["ENCODING_GUESSED"],
  ],
  ["tar", "member('Größe.txt')", "7z", ["Path = Größe.txt"], ["ENCODING_GUESSED"]],
  // A disc image has a second set of names, for Windows.
  ["tar", "member('n' * 90)", "iso", [`Path = ${"n".repeat(90)}`], []],
  ["tar", "member('why?'); member('b')", "iso", ["Path = why_"], ["NAMES_CHANGED"]],
  ["tar", "member('a', mode=0); member('b', type=tarfile.LNKTYPE, linkname='a', mode=0)", "zip", ["a 0o0 12", "b 0o0 12"], []],
])("converts %s with %s to %s", async (from, body, to, lines, notes) => {
  const made = await converted(from, body, to);
  for (const line of lines) expect(made.said).toContain(line);
  expect(made.notes.map(([code]) => code)).toEqual(notes);
});

it("names the files whose times a format cannot store", async () => {
  const body = "for n, t in (('a', 2**33), ('b', -86400), ('c', 2**33), ('d', 2**33), ('e', 1600000001)): member(n, mtime=t)";
  const { notes } = await converted("tar", body, "zip");
  expect(notes).toEqual([["NUMBERS_ROUNDED", "The format cannot store some files' times, which were changed: a, b, c and 1 more."]]);
  expect((await converted("tar", "member('b', mtime=-86400)", "7z")).notes).toEqual([]);
});

it.each([
  ["zip", "Left out: owners, or their names, of a, b, c and 1 more."],
  ["7z", "Left out: owners, or their names, of a, b, c and 2 more."],
  ["cpio", "Left out: owners, or their names, of a, b, c and 1 more."],
  ["tgz", undefined],
])("names the files whose owners tar > %s loses", async (to, note) => {
  const body = "for n in 'abcd': member(n, uid=501, gid=20, uname='anna')\nmember('e', uid=501)\nmember('f', uname='root', gname='root')";
  const { notes } = await converted("tar", body, to);
  expect(new Map(notes).get("METADATA_DROPPED")).toBe(note);
});

it("invents no creation times for members of a ZIP, and no owner for names in a code page", async () => {
  expect((await converted("zip", "entry('a', 'x')", "7z")).said).not.toMatch(/^(Created|Accessed) = ./m);
  const legacy = "zipfile.ZipInfo._encodeFilenameFlags = lambda self: (self.filename.encode('cp437'), 0); entry('Größe', 'x')";
  expect((await converted("zip", legacy, "tar")).said).toMatch(/^Größe \S+ \S+ 0$/m);
});

it("calls no file left out whose name in a code page is as long as another's", async () => {
  const body =
    "zipfile.ZipInfo._encodeFilenameFlags = lambda self: (self.filename.encode('cp866'), 0)\nfor n in ('новая книга.txt', 'новая глава.txt'): entry(n, 'x')";
  const { said, notes } = await converted("zip", body, "tar");
  for (const name of ["новая книга.txt", "новая глава.txt"]) expect(said).toContain(name);
  expect(notes.map(([code]) => code)).toEqual(["ENCODING_GUESSED"]);
});

it("calls a ZIP damaged whose extra fields end too early", async () => {
  const made = converted("zip", "entry('a', 'x', struct.pack('<HH', 0x5455, 5) + b'1')", "tar");
  await expect(made).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

// LHA is common in Japan; its archives were called damaged.
it("reads Japanese names of LHA", async () => {
  const source = join(bench.folder, "source.lzh");
  const name = "日本語.txt";
  const writer =
    "import struct, sys\nname = sys.argv[2].encode('cp932')\nhead = b'-lh0-' + struct.pack('<IIIBBB', 0, 0, 0x21 << 16, 0x20, 0, len(name)) + name + bytes(2)\n" +
    "open(sys.argv[1], 'wb').write(bytes([len(head), sum(head) & 255]) + head + bytes(1))";
  await run("/usr/bin/python3", ["-I", "-c", writer, source, name]);
  for (const to of ["zip", "tar"]) {
    const { path, notes } = await bench.convert(source, "lzh", to);
    expect((await run("/usr/bin/python3", ["-I", "-c", readers[to] ?? "", path])).stdout).toContain(name);
    expect([...notes.keys()]).toEqual(["ENCODING_GUESSED"]);
  }
});

// A link to a name with an equivalent in Unicode seemed to lead nowhere.
it("keeps links to names that Unicode composes", async () => {
  const body =
    "i = zipfile.ZipInfo('l'); i.create_system, i.external_attr = 3, 0o120777 << 16; a.writestr(i, '\uf999'); entry('\uf999', 'x')";
  expect((await converted("zip", body, "tar")).said).toContain("l 0o777");
});

// The archive was said to be damaged, or the reason to be unknown.
it.each([
  ["zip", ["-mm=Deflate64"], "deflation-64-bit"],
  ["7z", ["-m0=Deflate64"], "40109"],
  ["7z", ["-m0=PPC", "-m1=Deflate"], "3030205"],
])("names the unsupported compression of a %s by %j", async (format, method, named) => {
  const [plain, packed] = [join(bench.folder, "many"), join(bench.folder, `packed-${named}.${format}`)];
  await writeFile(plain, "many ".repeat(1000));
  await run("7z", ["a", ...method, packed, plain]);
  const message = `The archive has files compressed by a method that is not supported (${named}).`;
  await expect(bench.convert(packed, format, "tar")).rejects.toMatchObject({ code: "CONVERSION_FAILED", message });
});

it("says of one of several cabinets that it is a part", async () => {
  const path = join(bench.folder, "first.cab");
  const head = Buffer.alloc(64);
  head.write("MSCF");
  head[30] = 2;
  await writeFile(path, head);
  await expect(bench.convert(path, "cab", "zip")).rejects.toMatchObject({ message: expect.stringContaining("split") });
});

it("reads names of a cabinet in the code page of its Windows, whose letters may contain a backslash, for a TAR too", async () => {
  // 表\漢字.txt in Shift JIS.
  const name = Buffer.from("955c5c8abf8e9a2e74787400", "hex");
  const cabinet = Buffer.alloc(36 + 8 + 16 + name.length + 8 + 1);
  const data = 60 + name.length;
  cabinet.write("MSCF");
  for (const [at, value] of [
    [8, cabinet.length],
    [16, 44],
    [36, data],
    [44, 1],
  ] as const)
    cabinet.writeUInt32LE(value, at);
  for (const [at, value] of [
    [24, 0x103],
    [26, 1],
    [28, 1],
    [40, 1],
    [54, 0x21],
    [58, 0x20],
    [data + 4, 1],
    [data + 6, 1],
  ] as const)
    cabinet.writeUInt16LE(value, at);
  name.copy(cabinet, 60);
  cabinet.write("x", data + 8);
  const path = join(bench.folder, "japanese.cab");
  await writeFile(path, cabinet);
  const made = await bench.convert(path, "cab", "tar");
  expect(
    (await promisify(execFile)("python3", ["-c", "import sys, tarfile\nprint(tarfile.open(sys.argv[1]).getnames()[-1])", made.path]))
      .stdout,
  ).toBe("表/漢字.txt\n");
  expect([...made.notes.keys()]).toEqual(["ENCODING_GUESSED"]);
});

it("asks for the password of a 7z whose names are readable", async () => {
  const [plain, locked] = [join(bench.folder, "plain"), join(bench.folder, "locked.7z")];
  await writeFile(plain, "secret");
  await run("7z", ["a", "-psecret", locked, plain]);
  await expect(bench.convert(locked, "7z", "zip")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
});

const extended = `
import io, sys, tarfile
acl = 'user::rw-,user:bob:r--:1000,group::r--,mask::r--,other::r--'
with tarfile.open(sys.argv[1], 'w', format=tarfile.PAX_FORMAT, pax_headers={'comment': 'f00'}) as a:
    for name, headers in (('red', {'SCHILY.xattr.user.colour': 'red'}), ('shared', {'SCHILY.acl.access': acl}), ('kept', {'SCHILY.fflags': 'nodump'}), ('plain', {})):
        m = tarfile.TarInfo(name); m.size, m.mtime, m.pax_headers = 1, 1600000001, headers
        a.addfile(m, io.BytesIO(b'x'))
`;

it.each([
  ["zip", "comments of the archive or its files; extended attributes of red; access control lists of shared; flags of kept"],
  ["7z", "comments of the archive or its files; extended attributes of red; access control lists of shared; flags of kept"],
  ["cpio", "comments of the archive or its files; extended attributes of red; access control lists of shared; flags of kept"],
  ["iso", "comments of the archive or its files; extended attributes of red; access control lists of shared; flags of kept"],
  ["tgz", "comments of the archive or its files"],
])("names the attributes and lists that tar > %s loses", async (to, lost) => {
  const source = join(bench.folder, "extended.tar");
  await run("/usr/bin/python3", ["-I", "-c", extended, source]);
  const { notes } = await bench.convert(source, "tar", to);
  expect(notes.get("METADATA_DROPPED")).toBe(`Left out: ${lost}.`);
});
