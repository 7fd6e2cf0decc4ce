"""Writes the other comics from the pages of typical.cbz: a tape archive as `tar -c .` makes it, and an uncompressed RAR."""
import io
import os
import struct
import tarfile
import zipfile
import zlib

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../typical/ebook")


def tape(pages):
    with tarfile.open(os.path.join(HERE, "typical.cbt"), "w", format=tarfile.GNU_FORMAT) as made:
        folder = tarfile.TarInfo("./")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        made.addfile(folder)
        for name, content in reversed(pages):
            entry = tarfile.TarInfo("./" + name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))


def rar(pages):
    """RAR 4: marker, archive header, then for each file a header with its checksum and the stored bytes."""

    def block(kind, flags, body, data=b""):
        head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head + data

    made = b"Rar!\x1a\x07\x00" + block(0x73, 0, b"\0" * 6)
    for name, content in pages:
        raw = name.encode()
        sizes = (len(content), len(content), 3, zlib.crc32(content), 0x21 << 16, 20, 0x30, len(raw), 0o100644)
        made += block(0x74, 0x8000, struct.pack("<IIBIIBBHI", *sizes) + raw, content)
    with open(os.path.join(HERE, "typical.cbr"), "wb") as file:
        file.write(made + block(0x7B, 0x4000, b""))


if __name__ == "__main__":
    with zipfile.ZipFile(os.path.join(HERE, "typical.cbz")) as book:
        PAGES = [(name, book.read(name)) for name in sorted(book.namelist())]
    tape(PAGES)
    rar(PAGES)
