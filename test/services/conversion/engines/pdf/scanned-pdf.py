"""Pictures of pages as a scanner leaves them in a PDF. Usage: scanned-pdf.py OUT plain|strips|masks DEGREES NOISE PICTURE...

DEGREES: rotation of the pages, alternating sides; NOISE: share of pixels, in percent, that are specks. `strips`
and `masks` cut a bilevel page into ten pictures or stencils, with a line of text from the registry at the foot.
"""
import io
import random
import sys
import zlib

import pikepdf
from PIL import Image
from pikepdf import Dictionary, Name

out, kind, degrees, noise, *pictures = sys.argv[1:]
chance = random.Random(7)
pdf = pikepdf.new()
font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
for number, path in enumerate(pictures):
    page = Image.open(path).convert("L").rotate(float(degrees) * (-1) ** number, Image.BICUBIC, fillcolor=255)
    width, height = page.size
    for _ in range(int(width * height * float(noise) / 100)):
        page.putpixel((chance.randrange(width), chance.randrange(height)), chance.choice((0, 90, 180, 255)))
    points = (width * 72 / 300, height * 72 / 300)
    pdf.add_blank_page(page_size=points)
    drawn, objects = [], Dictionary()
    count = 1 if kind == "plain" else 10
    for strip in range(count):
        top, bottom = height * strip // count, height * (strip + 1) // count
        part = page.crop((0, top, width, bottom))
        look = {"Type": Name.XObject, "Subtype": Name.Image, "Width": width, "Height": bottom - top}
        if kind == "plain":
            jpeg = io.BytesIO()
            part.save(jpeg, "JPEG", quality=80)
            picture = pikepdf.Stream(pdf, jpeg.getvalue(), **look, ColorSpace=Name.DeviceGray, BitsPerComponent=8, Filter=Name.DCTDecode)
        else:
            bits = zlib.compress(part.point(lambda value: 255 * (value > 128)).convert("1").tobytes())
            colours = {"ImageMask": True} if kind == "masks" else {"ColorSpace": Name.DeviceGray}
            picture = pikepdf.Stream(pdf, bits, **look, **colours, BitsPerComponent=1, Filter=Name.FlateDecode)
        objects[f"/S{strip}"] = picture
        y = points[1] * (1 - bottom / height)
        drawn.append(f"q {points[0]} 0 0 {points[1] * (bottom - top) / height} 0 {y} cm /S{strip} Do Q")
    if kind != "plain":
        drawn.append(f"BT /F1 6 Tf 20 8 Td (Scanned and filed by the registry, page {number + 1}) Tj ET")
    sheet = pdf.pages[-1].obj
    sheet.Resources = Dictionary(XObject=objects, Font=Dictionary(F1=font))
    sheet.Contents = pdf.make_stream("\n".join(drawn).encode())
pdf.save(out)
