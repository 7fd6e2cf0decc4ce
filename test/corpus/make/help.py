"""Writes typical.chm from typical.html: two pages and their table of contents, uncompressed, as the format allows."""
import os
import re
import struct
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
CHUNK = 0x1000
ENGLISH = 0x409


def guid(text):
    return uuid.UUID(text).bytes_le


def number(value):
    """Seven bits per byte, highest first; all but the last are marked."""
    made = bytes([value & 0x7F])
    while value := value >> 7:
        made = bytes([value & 0x7F | 0x80]) + made
    return made


def directory(entries):
    body = b""
    for name, offset, size in sorted(entries, key=lambda entry: entry[0].lower()):
        raw = name.encode()
        body += number(len(raw)) + raw + number(0) + number(offset) + number(size)
    room = CHUNK - 0x14 - 2 - len(body)
    chunk = b"PMGL" + struct.pack("<IIii", room + 2, 0, -1, -1) + body + b"\0" * room + struct.pack("<H", len(entries))
    head = b"ITSP" + struct.pack("<IIIIIIiiiiiI", 1, 0x54, 0x0A, CHUNK, 2, 1, -1, 0, 0, -1, 1, ENGLISH)
    return head + guid("5d02926a-212e-11d0-9df9-00a0c922e6ec") + struct.pack("<Iiii", 0x54, -1, -1, -1) + chunk


def written(files):
    content, entries = b"", [("/", 0, 0)]
    for name, data in files.items():
        entries.append((f"/{name}", len(content), len(data)))
        content += data
    listed = directory(entries)
    first, second = 0x60, 0x60 + 0x18
    start = second + len(listed)
    made = b"ITSF" + struct.pack("<IIIII", 3, 0x60, 1, 0, ENGLISH)
    made += guid("7c01fd10-7baa-11d0-9e0c-00a0c922e6ec") + guid("7c01fd11-7baa-11d0-9e0c-00a0c922e6ec")
    made += struct.pack("<QQQQQ", first, 0x18, second, len(listed), start)
    made += struct.pack("<IIQII", 0x1FE, 0, start + len(content), 0, 0)
    return made + listed + content


def system(title):
    """The file that lists the others: contents, first page, title."""

    def entry(code, data):
        return struct.pack("<HH", code, len(data)) + data

    names = [(0, "toc.hhc"), (2, "typical.htm"), (3, title)]
    return struct.pack("<I", 3) + b"".join(entry(code, text.encode() + b"\0") for code, text in names)


def contents(pages):
    items = "".join(
        f'<LI><OBJECT type="text/sitemap"><param name="Name" value="{name}"><param name="Local" value="{local}"></OBJECT>\n'
        for name, local in pages
    )
    return f"<HTML><BODY><UL>\n{items}</UL></BODY></HTML>\n".encode()


if __name__ == "__main__":
    typical = os.path.join(HERE, "../typical")
    with open(os.path.join(typical, "document/typical.html"), encoding="utf-8") as file:
        page = file.read()
    page = re.sub(r"<img[^>]*>", "", page)
    second = '<html><head><title>Second page</title></head><body><h1>Second page</h1><p>A page of its own, <a href="typical.htm">after the first</a>.</p></body></html>\n'
    files = {
        "#SYSTEM": system("Typical"),
        "second.htm": second.encode(),
        "toc.hhc": contents([("Typical", "typical.htm"), ("Second page", "second.htm")]),
        "typical.htm": page.encode(),
    }
    with open(os.path.join(typical, "ebook/typical.chm"), "wb") as file:
        file.write(written(files))
