"""Writes sample archives with Python's own library or from scratch, and lists others: the members' names and digests as JSON."""
import gzip
import hashlib
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

MEMBERS = {"a.txt": b"Quokka\n", "dir/\u00fc b.bin": bytes(range(256)) * 40, "empty": b""}


def zip_of(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in MEMBERS.items():
            made.writestr(name, content)


def tar_of(path, mode="w"):
    with tarfile.open(path, mode) as made:
        for name, content in MEMBERS.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))


def rar_of(path):
    """Uncompressed RAR 4. The name is stored as its low bytes, then as UTF-8, with the Unicode flag."""

    def block(kind, flags, body, data=b""):
        head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head + data

    made = b"Rar!\x1a\x07\x00" + block(0x73, 0, b"\0" * 6)
    for name, content in MEMBERS.items():
        raw = name.encode()
        body = struct.pack("<IIBIIBBHI", len(content), len(content), 3, zlib.crc32(content), 0x21 << 16, 20, 0x30, len(raw), 0o100644)
        made += block(0x74, 0x8200, body + raw, content)
    with open(path, "wb") as file:
        file.write(made + block(0x7B, 0x4000, b""))


def cab_of(path):
    names = [name.encode() + b"\0" for name in MEMBERS]
    data = b"".join(MEMBERS.values())
    files_at = 36 + 8
    data_at = files_at + sum(16 + len(name) for name in names)
    entries, at = b"", 0
    for raw, content in zip(names, MEMBERS.values()):
        entries += struct.pack("<IIHHHH", len(content), at, 0, 0x21, 0, 0xA0) + raw
        at += len(content)
    block = struct.pack("<IHH", 0, len(data), len(data)) + data
    head = b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, data_at + len(block), 0, files_at, 0, 3, 1, 1, len(names), 0, 0, 0)
    with open(path, "wb") as file:
        file.write(head + struct.pack("<IHH", data_at, 1, 0) + entries + block)


def lzh_of(path):
    """Level 0, stored (-lh0-): size and checksum of the header, method, sizes, date, attribute, level, name, CRC-16."""

    def crc16(data):
        value = 0
        for byte in data:
            value ^= byte
            for _ in range(8):
                value = (value >> 1) ^ (0xA001 if value & 1 else 0)
        return value

    made = b""
    for name, content in MEMBERS.items():
        raw = name.encode()
        head = b"-lh0-" + struct.pack("<IIIBBB", len(content), len(content), 0x21 << 16, 0x20, 0, len(raw)) + raw
        head += struct.pack("<H", crc16(content))
        made += bytes([len(head), sum(head) & 0xFF]) + head + content
    with open(path, "wb") as file:
        file.write(made + b"\0")


def rpm_of(path):
    """A lead, two headers without entries, and the files as a compressed cpio."""
    by_tool(path + ".cpio", "bsdtar", "--format=newc", "-cf")
    header = b"\x8e\xad\xe8\x01" + bytes(12)
    with open(path + ".cpio", "rb") as files, open(path, "wb") as file:
        file.write(b"\xed\xab\xee\xdb\x03\0" + bytes(90) + header + header + gzip.compress(files.read()))


def by_tool(path, *command):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in MEMBERS.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)) or folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        subprocess.run([*command, path, *MEMBERS], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def write(kind, path):
    if kind in ("zip", "jar", "zipx", "cbz"):
        zip_of(path)
    elif kind in ("tar", "cbt"):
        tar_of(path)
    elif kind in ("tgz", "tbz2", "txz"):
        tar_of(path, {"tgz": "w:gz", "tbz2": "w:bz2", "txz": "w:xz"}[kind])
    elif kind == "tzst":
        tar_of(path + ".tar")
        subprocess.run(["zstd", "-qf", path + ".tar", "-o", path], check=True)
    elif kind in ("rar", "cbr"):
        rar_of(path)
    elif kind == "cab":
        cab_of(path)
    elif kind == "lzh":
        lzh_of(path)
    elif kind == "rpm":
        rpm_of(path)
    elif kind in ("7z", "cb7"):
        by_tool(path, "7z", "a", "-t7z")
    else:
        filters = {"taz": ["--compress"], "tlz": ["--lzip"], "tlz4": ["--lz4"]}
        formats = {"cpio": "newc", "iso": "iso9660", "xar": "xar"}
        by_tool(path, "bsdtar", "--format=" + formats.get(kind, "ustar"), *filters.get(kind, []), "-cf")


def read(kind, path):
    with tempfile.TemporaryDirectory() as folder:
        if kind in ("zip", "cbz"):
            with zipfile.ZipFile(path) as made:
                assert made.testzip() is None
                made.extractall(folder)
        elif kind in ("tar", "cbt", "tgz", "tbz2", "txz", "tzst"):
            if kind == "tzst":
                subprocess.run(["zstd", "-qdf", path, "-o", path + ".tar"], check=True)
                path += ".tar"
            with tarfile.open(path) as made:
                made.extractall(folder)
        elif kind in ("tlz", "tlz4", "taz"):
            unpack = {"tlz": "lzip -dc", "tlz4": "lz4 -dc", "taz": "gzip -dc"}[kind]
            with tarfile.open(fileobj=io.BytesIO(subprocess.run(unpack.split(), stdin=open(path, "rb"), check=True, capture_output=True).stdout)) as made:
                made.extractall(folder)
        else:
            # 7z's [TOC].xml is the table of contents of a xar rather than a member.
            subprocess.run(["7z", "x", "-y", "-x![TOC].xml", "-o" + folder, path], check=True, stdout=subprocess.DEVNULL)
        found = {}
        for at, _, names in os.walk(folder):
            for name in names:
                full = os.path.join(at, name)
                if os.path.islink(full):
                    found[os.path.relpath(full, folder)] = "-> " + os.readlink(full)
                    continue
                with open(full, "rb") as file:
                    found[os.path.relpath(full, folder)] = hashlib.sha256(file.read()).hexdigest()
        return found


if sys.argv[1] == "write":
    write(sys.argv[2], sys.argv[3])
else:
    print(json.dumps(read(sys.argv[2], sys.argv[3])))
