"""Reads a picture that other programs misread, and writes it as PNG. Exit codes: 3 damaged, 4 of an unknown kind, 5 too large."""

import struct
import sys
from io import BytesIO

from PIL import Image

DAMAGED, UNKNOWN, LARGE = 3, 4, 5
# An error comes at twice as many.
Image.MAX_IMAGE_PIXELS = 50_000_000

# DXGI formats: those that Pillow knows by an older name only, and those without compression.
BLOCKS = {70: b"DXT1", 71: b"DXT1", 72: b"DXT1", 73: b"DXT3", 74: b"DXT3", 75: b"DXT3", 76: b"DXT5", 77: b"DXT5", 78: b"DXT5"}
# Signed values, which old versions of Pillow take for unsigned ones.
SIGNED = (81, 84, b"BC4S", b"BC5S")
PLAIN = {28: "RGBA", 29: "RGBA", 87: "BGRA", 91: "BGRA", 88: "BGRX", 93: "BGRX"}
# Bits per pixel, and the masks of red, green, blue and alpha.
MASKED = {
    (32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000): "RGBA",
    (32, 0xFF, 0xFF00, 0xFF0000, 0): "RGBX",
    (32, 0xFF0000, 0xFF00, 0xFF, 0): "BGRX",
    (24, 0xFF, 0xFF00, 0xFF0000, 0): "RGB",
    (16, 0x7C00, 0x3E0, 0x1F, 0): "BGR;15",
}


def surface(data):
    """A DDS. See Microsoft's reference of DDS_HEADER and DDS_HEADER_DXT10."""
    height, width = struct.unpack_from("<II", data, 12)
    flags, code, *masks = struct.unpack_from("<I4s5I", data, 80)
    if code in SIGNED or (code == b"DX10" and struct.unpack_from("<I", data, 128)[0] in SIGNED):
        sys.exit(UNKNOWN)
    if flags & 4 == 0:
        order, start = MASKED.get(tuple(masks)) if flags & 0x40 else None, 128
    elif code == b"DX10":
        kind, start = struct.unpack_from("<I", data, 128)[0], 148
        order = PLAIN.get(kind)
        if kind in BLOCKS:
            data = data[:84] + BLOCKS[kind] + data[88:128] + data[start:]
    else:
        order = None
    if order is None:
        return opened("DDS", data)
    if width * height > 2 * Image.MAX_IMAGE_PIXELS:
        raise Image.DecompressionBombError
    size = width * height * {"RGB": 3, "BGR;15": 2}.get(order, 4)
    return Image.frombytes("RGBA" if "A" in order else "RGB", (width, height), data[start : start + size], "raw", order)


def palette(data):
    """A Photoshop file with a palette, whose transparency, profile and resolution Pillow leaves aside."""
    image = opened("PSD", data)
    if image.mode != "P":
        sys.exit(UNKNOWN)
    for number, _, value in image.resources:
        if number == 1005:
            image.info["dpi"] = tuple(part / 65536 for part in struct.unpack(">I4xI", value[:12]))
        if number == 1039:
            image.info["icc_profile"] = value
        if number == 1047:
            image.info["transparency"] = min(255, int.from_bytes(value[:2], "big"))
    return image


def opened(kind, data):
    try:
        return Image.open(BytesIO(data), formats=[kind])
    except (OSError, NotImplementedError, KeyError):
        sys.exit(UNKNOWN)


def main(source, target, kind):
    with open(source, "rb") as file:
        data = file.read()
    readers = {"DDS": surface, "PSD": palette}
    try:
        image = readers[kind](data) if kind in readers else opened(kind, data)
        image.load()
    except Image.DecompressionBombError:
        sys.exit(LARGE)
    except (OSError, SyntaxError, ValueError, IndexError, struct.error):
        sys.exit(DAMAGED)
    image.save(target, "PNG", **{key: image.info[key] for key in ("dpi", "icc_profile") if key in image.info})


main(*sys.argv[1:4])
