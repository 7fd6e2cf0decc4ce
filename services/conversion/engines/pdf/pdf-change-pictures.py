"""Shrinks the pictures of a PDF in place; whenever the result is uncertain, the picture stays unchanged."""
import io

import pikepdf
from PIL import Image
from pikepdf import Array, Name, PdfImage

# Pixels per inch, JPEG quality.
LEVELS = {"screen": (72, 45), "ebook": (150, 60), "print": (300, 80)}
MOST_PIXELS = 60_000_000
LEAST_PIXELS = 2_000
# A picture that is barely larger than needed is not resampled.
TOLERANCE = 1.15


def densities(listing):
    """The lowest resolution at which each object is shown, by kind, from `pdfimages -list`. A mask is listed under its picture's object."""
    found = {}
    for line in listing:
        cells = line.split()
        if len(cells) < 14 or not cells[0].isdigit() or not cells[10].isdigit():
            continue
        key = (int(cells[10]), int(cells[11]), cells[2])
        found[key] = min(float(cells[12]), float(cells[13]), found.get(key, float("inf")))
    return found


def shrink(pdf, listing, level):
    target, quality = LEVELS[level]
    done = set()
    for (number, generation, kind), density in densities(listing).items():
        picture = pdf.get_object(number, generation)
        if not isinstance(picture, pikepdf.Stream):
            continue
        mask = picture.get("/SMask")
        part = picture if kind == "image" else mask if kind == "smask" else None
        # With a matte, picture and mask must have the same size.
        if part is None or part.objgen in done or (mask is not None and "/Matte" in mask):
            continue
        done.add(part.objgen)
        scale = target / density if density > target * TOLERANCE else 1
        try:
            if kind == "image":
                redraw(picture, scale, quality)
            elif scale < 1:
                rescale_mask(part, scale)
        except MemoryError:
            raise
        # Unknown or damaged pictures stay unchanged. The libraries raise many classes of errors for them.
        except Exception:
            continue
    for page in pdf.pages:
        for key in ("/Thumb", "/PieceInfo"):
            if key in page.obj:
                del page.obj[key]


def is_plain(picture):
    pixels = int(picture.Width) * int(picture.Height)
    masked = picture.get("/ImageMask", False) or isinstance(picture.get("/Mask"), Array) or "/Decode" in picture
    filters = picture.get("/Filter", Array([]))
    names = [str(each) for each in filters] if isinstance(filters, Array) else [str(filters)]
    known = all(name in ("/DCTDecode", "/FlateDecode", "/LZWDecode", "/ASCII85Decode", "/RunLengthDecode") for name in names)
    return LEAST_PIXELS <= pixels <= MOST_PIXELS and not masked and known and int(picture.get("/BitsPerComponent", 8)) != 1


def base_of(space):
    """The colour space of the pixels behind a palette, and its number of components; None if JPEG does not support it."""
    if isinstance(space, Array) and len(space) > 1 and space[0] == Name.Indexed:
        space = space[1]
    if space in (Name.DeviceRGB, Name.DeviceGray):
        return space, 3 if space == Name.DeviceRGB else 1
    if isinstance(space, Array) and len(space) > 1 and space[0] in (Name.ICCBased, Name.CalRGB, Name.CalGray):
        count = int(space[1].N) if space[0] == Name.ICCBased else 3 if space[0] == Name.CalRGB else 1
        return (space, count) if count in (1, 3) else (None, 0)
    return None, 0


def redraw(picture, scale, quality):
    if not is_plain(picture):
        return
    space, count = base_of(picture.get("/ColorSpace"))
    if space is None:
        return
    image = PdfImage(picture).as_pil_image()
    if image.mode == "P":
        image = image.convert("RGB" if count == 3 else "L")
    if image.mode != ("RGB" if count == 3 else "L"):
        return
    if scale < 1:
        image = smaller(image, scale)
    written = io.BytesIO()
    image.save(written, "JPEG", quality=quality, optimize=True, subsampling=0 if quality > 75 else 2)
    data = written.getvalue()
    if len(data) > len(picture.read_raw_bytes()) * 0.9:
        return
    picture.write(data, filter=Name.DCTDecode)
    resized(picture, image)
    picture.ColorSpace = space


def rescale_mask(picture, scale):
    if not is_plain(picture):
        return
    image = PdfImage(picture).as_pil_image()
    if image.mode != "L":
        return
    image = smaller(image, scale)
    # Uncompressed: it is compressed when the file is written.
    picture.write(image.tobytes())
    resized(picture, image)


def smaller(image, scale):
    return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))), Image.LANCZOS)


def resized(picture, image):
    picture.Width, picture.Height, picture.BitsPerComponent = image.width, image.height, 8
    if "/DecodeParms" in picture and picture.get("/Filter") in (Name.DCTDecode, None):
        del picture["/DecodeParms"]
