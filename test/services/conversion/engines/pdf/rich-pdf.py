"""A PDF with everything that a change must not lose. Usage: rich-pdf.py OUT [signed]"""
import io
import sys
import zlib

import pikepdf
from PIL import Image
from pikepdf import Array, Dictionary, Name, String

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def photo(width, height):
    """Smooth with fine detail, like photographs."""
    rows = [bytes((x * 255 // width, y * 255 // height, (x * y // 97 + x * 7 + y * 13) % 64 + 96)[c] for x in range(width) for c in range(3)) for y in range(height)]
    return Image.frombytes("RGB", (width, height), b"".join(rows))


pdf = pikepdf.new()
image = photo(1000, 750)
jpeg = io.BytesIO()
image.save(jpeg, "JPEG", quality=95, subsampling=0)
picture = pikepdf.Stream(pdf, jpeg.getvalue(), Type=Name.XObject, Subtype=Name.Image, Width=1000, Height=750, ColorSpace=Name.DeviceRGB, BitsPerComponent=8, Filter=Name.DCTDecode)
mask = pikepdf.Stream(pdf, zlib.compress(bytes(min(255, x) for _ in range(400) for x in range(400))), Type=Name.XObject, Subtype=Name.Image, Width=400, Height=400, ColorSpace=Name.DeviceGray, BitsPerComponent=8, Filter=Name.FlateDecode)
flat = pikepdf.Stream(pdf, zlib.compress(image.resize((400, 400)).tobytes()), Type=Name.XObject, Subtype=Name.Image, Width=400, Height=400, ColorSpace=Name.DeviceRGB, BitsPerComponent=8, Filter=Name.FlateDecode, SMask=mask)
font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
for word in ("first", "second", "third"):
    pdf.add_blank_page(page_size=(400, 500))
    page = pdf.pages[-1].obj
    page.Resources = Dictionary(Font=Dictionary(F1=font), XObject=Dictionary(Im1=picture, Im2=flat))
    drawn = " q 240 0 0 180 40 60 cm /Im1 Do Q q 90 0 0 90 300 60 cm /Im2 Do Q" if word == "first" else ""
    page.Contents = pdf.make_stream(f"/P <</MCID 0>> BDC BT /F1 24 Tf 40 420 Td (Quokka {word} page) Tj ET EMC{drawn}".encode())
    page.StructParents = len(pdf.pages) - 1
    page.Annots = Array([])

pages = [page.obj for page in pdf.pages]
for goal in (1, 2):
    pages[0].Annots.append(pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([40, 380 - goal * 30, 140, 400 - goal * 30]), Dest=Array([pages[goal], Name.Fit]), Border=Array([0, 0, 1]))))
pages[0].Annots.append(pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([350, 450, 370, 470]), Contents=String("Wombat remark"))))
field = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("name"), V=String("Numbat"), DA=String("/F1 12 Tf 0 g"), Rect=Array([200, 340, 360, 360]), F=4))
pages[0].Annots.append(field)
pdf.Root.AcroForm = Dictionary(Fields=Array([field]), DA=String("/F1 12 Tf 0 g"), DR=Dictionary(Font=Dictionary(F1=font)), NeedAppearances=True)
if "signed" in sys.argv:
    value = pdf.make_indirect(Dictionary(Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), SubFilter=Name("/adbe.pkcs7.detached"), Contents=String("00"), ByteRange=Array([0, 1, 2, 3])))
    signature = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Sig, T=String("signed"), V=value, Rect=Array([0, 0, 0, 0]), F=132))
    pages[0].Annots.append(signature)
    pdf.Root.AcroForm.Fields.append(signature)

root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
document = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
leaves = [pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.P, P=document, Pg=page, K=0)) for page in pages]
document.K = Array(leaves)
root.K = document
root.ParentTree = pdf.make_indirect(Dictionary(Nums=Array([each for at, leaf in enumerate(leaves) for each in (at, Array([leaf]))])))
pdf.Root.StructTreeRoot = root
pdf.Root.MarkInfo = Dictionary(Marked=True)
pdf.Root.Lang = String("en")
with pdf.open_outline() as outline:
    outline.root.extend(pikepdf.OutlineItem(f"Chapter {number + 1}", number) for number in range(3))
# By name, as in links from TeX and Word: in a name tree, and in the table of older files.
pdf.Root.Names = Dictionary(Dests=Dictionary(Names=Array([each for number, name in enumerate(("heading-first", "heading-second", "heading-third")) for each in (String(name), Dictionary(D=Array([pages[number], Name.Fit])))])))
pdf.Root.Dests = Dictionary({"/old-second": Array([pages[1], Name.Fit]), "/old-third": Array([pages[2], Name.Fit])})
if "named" in sys.argv:
    for leaf, word in zip(leaves, ("first", "second", "third")):
        leaf.ActualText, leaf.ID = String(f"Spoken {word}"), String(f"id-{word}")
    empty = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.TD, P=document, Alt=String("Empty second")))
    # Spans the second and third page, as sections do.
    section = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Sect, P=document, Pg=pages[2], ActualText=String("Section second"), K=Array([leaves[1], empty, leaves[2]])))
    # Not an indirect object.
    inner = Dictionary(Type=Name.StructElem, S=Name.Span, P=document, Pg=pages[1], K=0, ActualText=String("Inner second"))
    document.K = Array([leaves[0], section, inner])
    root.IDTree = Dictionary(Names=Array([each for leaf in leaves for each in (leaf.ID, leaf)]))
    for goal in (String("heading-second"), Name("/old-second"), String("heading-third"), Name("/old-third")):
        pages[0].Annots.append(pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([10, 10, 20, 20]), A=Dictionary(S=Name.GoTo, D=goal))))
    with pdf.open_outline() as outline:
        second = outline.root[1]
        second.children.append(pikepdf.OutlineItem("Numbered third", 2))
        second.children.append(pikepdf.OutlineItem("Numbered second", 1))
        outline.root.append(pikepdf.OutlineItem("By name second", pikepdf.String("heading-second")))
        part = pikepdf.OutlineItem("Part without a page")
        part.children.append(pikepdf.OutlineItem("Alone second", 1))
        outline.root.append(part)
    # An invalid number must not cause a failure.
    pdf.Root.Outlines.First.Count = Name.Many
pdf.attachments["notes.txt"] = pikepdf.AttachedFileSpec(pdf, b"Attached quokka", filename="notes.txt")
pdf.docinfo["/Title"] = String("Rich")
pdf.docinfo["/Author"] = String("Ada Zebra")
pdf.save(sys.argv[1])
