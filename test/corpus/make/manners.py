"""Writes test/corpus/odd: small files whose orientation, transparency,
animation, profile, encoding, script or formulas a conversion may lose.

Pictures by Pillow, which is not an engine; the profile is built here: Display P3 with a gamma of 2.2.
"""
import os
import struct

from PIL import Image

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../odd")
RED, GREEN, BLUE, YELLOW = (220, 30, 30), (30, 180, 30), (30, 30, 220), (230, 220, 30)
# Turns an upright picture into one that its orientation (EXIF 274) turns back.
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def path(name):
    return os.path.join(HERE, name)


def four():
    """Four colours, which look different in every orientation."""
    made = Image.new("RGB", (96, 64), RED)
    made.paste(GREEN, (48, 0, 96, 32))
    made.paste(BLUE, (0, 32, 48, 64))
    made.paste(YELLOW, (48, 32, 96, 64))
    return made


def profile():
    def xyz(*values):
        return b"XYZ \0\0\0\0" + b"".join(struct.pack(">i", round(value * 65536)) for value in values)

    name = b"Display P3, gamma 2.2\0"
    desc = b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + bytes(78)
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    parts = {
        b"desc": desc + bytes(-len(desc) % 4),
        b"cprt": b"text\0\0\0\0CC0\0",
        b"wtpt": xyz(0.9642, 1, 0.8249),
        b"rXYZ": xyz(0.51512, 0.24120, -0.00105),
        b"gXYZ": xyz(0.29198, 0.69225, 0.04189),
        b"bXYZ": xyz(0.15710, 0.06657, 0.78407),
        b"rTRC": curve,
        b"gTRC": curve,
        b"bTRC": curve,
    }
    at, table, data = 128 + 4 + 12 * len(parts), b"", b""
    for tag, part in parts.items():
        table += tag + struct.pack(">II", at + len(data), len(part))
        data += part
    size = at + len(data)
    head = struct.pack(">I4sI4s4s4s12s4s", size, b"\0\0\0\0", 0x02100000, b"mntr", b"RGB ", b"XYZ ", bytes(12), b"acsp")
    head += bytes(28) + struct.pack(">3i", 63190, 65536, 54061)
    return head + bytes(128 - len(head)) + struct.pack(">I", len(parts)) + table + data


def pictures():
    for value in range(1, 9):
        exif = Image.Exif()
        exif[274] = value
        stored = four().transpose(STORED[value]) if value in STORED else four()
        stored.save(path(f"turned-{value}.jpg"), quality=92, subsampling=0, exif=exif)
    clear = Image.new("RGBA", (96, 64), (*RED, 255))
    clear.paste((*BLUE, 0), (48, 0, 96, 64))
    clear.save(path("clear.png"))
    frames = [Image.new("RGB", (48, 48), colour) for colour in (RED, GREEN, BLUE)]
    frames[0].save(path("moving.gif"), save_all=True, append_images=frames[1:], duration=200, loop=0)
    # sRGB red in Display P3.
    Image.new("RGB", (48, 48), (234, 51, 35)).save(path("wide.png"), icc_profile=profile())
    Image.new("CMYK", (48, 48), (0, 255, 255, 0)).save(path("inks.jpg"), quality=92)


def texts():
    line = "Ünïcødé Quokka café €"
    for name, data in {
        "utf16.txt": b"\xff\xfe" + f"{line} 日本\n".encode("utf-16-le"),
        "utf16-big.csv": b"\xfe\xff" + f"name,count\n{line},42\n".encode("utf-16-be"),
        "windows.txt": f"{line}\n".encode("cp1252"),
        "windows.csv": f"name;count\r\n{line};42\r\n".encode("cp1252"),
        "scripts.md": "# שלום עולם\n\nمرحبا بالعالم\n\n日本語の文書\n\n한국어 문서\n\n中文文档\n".encode(),
        "formulas.csv": b'name,value\n=1+1,"=HYPERLINK(""http://zebra.example"")"\n+2+3,-4+5\n@SUM(A1:A2),plain\n',
    }.items():
        with open(path(name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    os.makedirs(HERE, exist_ok=True)
    pictures()
    texts()
