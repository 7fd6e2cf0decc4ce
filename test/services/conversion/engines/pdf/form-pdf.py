"""A PDF whose form leaves drawing to viewers, with a hidden layer, scripts and more that it says of itself. Usage: form-pdf.py OUT"""
import sys

import pikepdf
from pikepdf import Array, Dictionary, Name, String

pdf = pikepdf.new()
pdf.add_blank_page(page_size=(400, 600))
pdf.add_blank_page(page_size=(400, 600))
page = pdf.pages[0].obj
font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
hidden = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Watermark")))
page.Resources = Dictionary(Font=Dictionary(F1=font), Properties=Dictionary(L0=hidden))
page.Contents = pdf.make_stream(b"BT /F1 20 Tf 50 550 Td (Plain) Tj ET /OC /L0 BDC BT /F1 20 Tf 50 20 Td (Unseen) Tj ET EMC")


def widget(name, kind, top, height=20, **more):
    return pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=kind, T=String(name), Rect=Array([50, top, 250, top + height]), DA=String("/F1 12 Tf 0 g"), F=4, **more))


options = Array([Array([String("a"), String("Alpha")]), Array([String("b"), String("Beta")])])
fields = Array([
    widget("latin", Name.Tx, 500, V=String("Zoë")),
    widget("cyrillic", Name.Tx, 470, V=String("Жук")),
    widget("lines", Name.Tx, 400, 60, V=String("One line\nand another"), Ff=4096),
    widget("pin", Name.Tx, 370, V=String("hunter2"), Ff=8192),
    widget("choice", Name.Ch, 340, V=String("b"), Ff=1 << 17, Opt=options),
    widget("agree", Name.Btn, 310, V=Name.Yes, AS=Name.Yes),
])
page.Annots = Array([*fields, pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([350, 550, 370, 570]), Contents=String("Remark")))])
pdf.Root.AcroForm = Dictionary(Fields=fields, DA=String("/F1 12 Tf 0 g"), DR=Dictionary(Font=Dictionary(F1=font)), NeedAppearances=True)
pdf.Root.OCProperties = Dictionary(OCGs=Array([hidden]), D=Dictionary(Order=Array([hidden]), OFF=Array([hidden])))
pdf.Root.Lang = String("de-CH")
pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
pdf.Root.OpenAction = Array([pdf.pages[1].obj, Name.Fit])
pdf.Root.Names = Dictionary(JavaScript=Dictionary(Names=Array([String("a"), Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))])))
page.Trans = Dictionary(S=Name.Wipe)
pdf.docinfo["/Title"] = "Formular"
pdf.docinfo["/Custom"] = "Wert"
with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
    metadata["dc:rights"] = "CC BY"
    metadata["pdfaid:part"] = "2"
pdf.save(sys.argv[1])
