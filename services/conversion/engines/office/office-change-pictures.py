"""Shrinks the pictures of an office package in place; whenever the result is uncertain, the picture stays unchanged."""
import io
import posixpath
import re

from office_packages import OpenPackage, local, part_of, walk
from PIL import Image

# Pixels per inch, JPEG quality.
LEVELS = {"screen": (72, 45), "ebook": (150, 60), "print": (300, 80)}
MOST_PIXELS, LEAST_PIXELS = 60_000_000, 2_000
# A picture that is barely larger than needed is not resampled.
TOLERANCE = 1.15
# Without a known size, a picture is assumed to cover a slide or a large page.
LARGEST = (17.0, 17.0)
EMU = 914_400
UNITS = {"in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72, "pc": 1 / 6, "px": 1 / 96}
SHAPES = {"pic", "sp", "wsp", "grpSp", "wgp", "inline", "anchor", "oneCellAnchor", "twoCellAnchor", "graphicFrame", "bg", "cxnSp"}
KINDS = {"JPEG": ("jpeg", "image/jpeg"), "PNG": ("png", "image/png")}


def shrink(package, level):
    uses = uses_of(package)
    renamed, typed = {}, package.typed()
    for name in package.names():
        sizes = uses.get(name)
        if name.lower().endswith((".jpg", ".jpeg", ".jpe", ".png", ".bmp", ".dib", ".tif", ".tiff")) and sizes is not None:
            try:
                redrawn(package, name, sizes, LEVELS[level], renamed, typed)
            except MemoryError:
                raise
            # Unknown or damaged pictures stay unchanged. The library raises many classes of errors for them.
            except Exception:
                continue
    if renamed:
        package.rename(renamed)


def redrawn(package, name, sizes, level, renamed, typed):
    (target, quality), content = level, package.read(name)
    image = Image.open(io.BytesIO(content), formats=["JPEG", "PNG", "BMP", "TIFF"])
    if not LEAST_PIXELS <= image.width * image.height <= MOST_PIXELS or getattr(image, "n_frames", 1) > 1:
        return
    if image.mode not in ("L", "RGB", "RGBA", "LA", "P"):
        return
    old, profile, exif = image.format, image.info.get("icc_profile"), image.info.get("exif", b"")
    if image.mode == "P":
        colours = "RGBA" if "transparency" in image.info else "RGB"
        flat = image.convert(colours)
    else:
        flat = image.convert("RGBA") if "transparency" in image.info else image
    scale = scale_of(image.size, sizes, target)
    if scale < 1:
        flat = flat.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))), Image.LANCZOS)
    written = {}
    if flat.mode in ("RGB", "L"):
        written["JPEG"] = saved(flat, "JPEG", quality=quality, optimize=True, subsampling=0 if quality > 75 else 2, icc_profile=profile, exif=exif)
    if old != "JPEG":
        # A palette is kept if the picture is not resampled.
        written["PNG"] = saved(image if scale == 1 and image.mode == "P" else flat, "PNG", optimize=True, icc_profile=profile)
    kind = min(written, key=lambda each: len(written[each]) * (2 if each == "JPEG" and old != "JPEG" else 1))
    if len(written[kind]) > len(content) * 0.9:
        return
    if kind == old:
        package.changed[name] = written[kind]
        return
    end, mime = KINDS[kind]
    new = f"{name.rpartition('.')[0]}-small.{end}"
    if name not in typed and not package.has(new):
        package.changed[new] = written[kind]
        renamed[name] = (new, mime)


def saved(image, kind, **how):
    file = io.BytesIO()
    image.save(file, kind, **{key: value for key, value in how.items() if value})
    return file.getvalue()


def scale_of(pixels, sizes, target):
    """`sizes`: in inches, for each place where the whole picture is shown; None for one that needs every pixel."""
    if None in sizes:
        return 1
    wanted = max(max(inches * target / count for inches, count in zip(size, pixels)) for size in sizes)
    return wanted if wanted * TOLERANCE < 1 else 1


def uses_of(package):
    found = {}
    if not isinstance(package, OpenPackage):
        for name in package.contents():
            for part, size in frames(package, name):
                found.setdefault(part, []).append(size)
        return found
    by_source = {}
    for source, identity, kind, target in package.all_relations():
        if kind == "image" and target is not None:
            by_source.setdefault(source, {})[identity] = target
    for source, targets in by_source.items():
        shown = blips(package.markup(source)) if package.has(source) else {}
        for identity, target in targets.items():
            found.setdefault(target, []).extend(shown.get(identity, [LARGEST]))
    return found


def blips(content):
    """Sizes at which each picture is shown, by relationship id."""
    shown, stack = {}, []

    def on_start(element, attributes, *_):
        name = local(element)
        if name in SHAPES:
            stack.append({"size": None, "inner": None, "pictures": []})
        elif not stack:
            return
        elif name in ("ext", "extent") and "cx" in attributes:
            stack[-1]["size"] = stack[-1]["size"] or size_of(attributes)
        elif name == "chExt":
            stack[-1]["inner"] = size_of(attributes)
        elif name == "blip":
            embedded = next((value for key, value in attributes.items() if local(key) == "embed"), None)
            stack[-1]["pictures"].append({"id": embedded, "crop": (1, 1), "tiled": False})
        elif name == "srcRect" and stack[-1]["pictures"]:
            stack[-1]["pictures"][-1]["crop"] = cropped(attributes)
        elif name == "tile" and stack[-1]["pictures"]:
            stack[-1]["pictures"][-1]["tiled"] = True

    def on_end(element, *_):
        if local(element) not in SHAPES:
            return
        shape = stack.pop()
        size = shape["size"] or next((outer["size"] for outer in reversed(stack) if outer["size"] and not outer["inner"]), None)
        for outer in stack:
            if size and outer["size"] and outer["inner"]:
                size = tuple(side * whole / part for side, whole, part in zip(size, outer["size"], outer["inner"]))
        for picture in shape["pictures"]:
            place = tuple(side / share for side, share in zip(size or LARGEST, picture["crop"]))
            shown.setdefault(picture["id"], []).append(None if picture["tiled"] else place)

    walk(content, on_start, on_end)
    return shown


def size_of(attributes):
    try:
        size = int(attributes["cx"]) / EMU, int(attributes["cy"]) / EMU
    except (KeyError, ValueError):
        return None
    return size if min(size) > 0 else None


def cropped(attributes):
    def share(one, other):
        cut = sum(int(attributes.get(side, "0").rstrip("%") or 0) for side in (one, other))
        return min(1, max(0.01, 1 - cut / 100_000))

    return share("l", "r"), share("t", "b")


def frames(package, name):
    folder, content = posixpath.dirname(name), package.markup(name)
    # Styles define the visible part of a cropped picture, which needs every pixel.
    is_cut = re.search(rb'clip="rect\((?!0[a-z]*, ?0[a-z]*, ?0[a-z]*, ?0[a-z]*\))', content) is not None
    found, sizes = [], []

    def on_start(element, attributes, *_):
        if local(element) == "frame":
            sizes.append(tuple(inches(next((value for key, value in attributes.items() if local(key) == side), "")) for side in ("width", "height")))
        elif local(element) in ("image", "fill-image", "background-image"):
            size = sizes[-1] if sizes and local(element) == "image" else None
            shown = LARGEST if size and None in size else size
            found.append((part_of(folder, attributes), None if is_cut else shown))

    def on_end(element, *_):
        if local(element) == "frame":
            sizes.pop()

    walk(content, on_start, on_end)
    return found


def inches(length):
    found = re.fullmatch(r"([\d.]{1,20})(in|cm|mm|pt|pc|px)", length)
    try:
        return float(found[1]) * UNITS[found[2]] if found else None
    except ValueError:
        return None


def strip_pictures(package):
    """Removes the metadata of cameras and programs; orientation is kept."""
    for name in package.names():
        content = package.read(name) if name.lower().endswith((".jpg", ".jpeg", ".png")) else b""
        stripped = jpeg_alone(content) if content[:2] == b"\xff\xd8" else png_alone(content) if content[:4] == b"\x89PNG" else content
        if len(stripped) < len(content):
            package.changed[name] = stripped


def jpeg_alone(content):
    result, at = [content[:2]], 2
    while content[at : at + 1] == b"\xff" and content[at + 1] != 0xDA:
        length = 2 + int.from_bytes(content[at + 2 : at + 4], "big")
        # EXIF and XMP, Photoshop data, and comments.
        if content[at + 1] in (0xE1, 0xED, 0xFE):
            result.append(turn_alone(content[at : at + length]))
        else:
            result.append(content[at : at + length])
        if length < 4 or at + length + 2 > len(content):
            return content
        at += length
    return b"".join([*result, content[at:]])


def turn_alone(segment):
    if segment[4:10] != b"Exif\0\0":
        return b""
    turned = Image.Exif()
    try:
        turned.load(segment[4:])
        orientation = turned.get(0x0112, 1)
    except Exception:
        return b""
    if orientation not in range(2, 9):
        return b""
    alone = Image.Exif()
    alone[0x0112] = orientation
    data = alone.tobytes()
    return b"\xff\xe1" + (len(data) + 2).to_bytes(2, "big") + data


def png_alone(content):
    result, at = [content[:8]], 8
    while at + 12 <= len(content):
        end = at + 12 + int.from_bytes(content[at : at + 4], "big")
        if content[at + 4 : at + 8] not in (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"):
            result.append(content[at:end])
        at = end
    return b"".join(result)
