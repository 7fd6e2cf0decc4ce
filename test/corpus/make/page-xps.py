"""Makes document/page.xps: one page with text, as printers write it. Usage: page-xps.py OUT. @see ECMA-388"""
import io
import sys
import zipfile

from fontTools import subset
from fontTools.ttLib import TTFont

LINES = ("Quokka page", "It has 42 words in two lines")
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
XPS = "http://schemas.microsoft.com/xps/2005/06"

font = TTFont("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
subsetter = subset.Subsetter(subset.Options(layout_features=[], hinting=False))
subsetter.populate(text="".join(LINES))
subsetter.subset(font)
made = io.BytesIO()
font.save(made)
glyphs = "".join(
    f'<Glyphs Fill="#FF000000" FontUri="/Resources/font.ttf" FontRenderingEmSize="{28 - 12 * index}" OriginX="96" OriginY="{130 + 40 * index}" UnicodeString="{line}"/>'
    for index, line in enumerate(LINES)
)
parts = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="fdseq" ContentType="application/vnd.ms-package.xps-fixeddocumentsequence+xml"/><Default Extension="fdoc" ContentType="application/vnd.ms-package.xps-fixeddocument+xml"/><Default Extension="fpage" ContentType="application/vnd.ms-package.xps-fixedpage+xml"/><Default Extension="ttf" ContentType="application/vnd.ms-opentype"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="R1" Type="{XPS}/fixedrepresentation" Target="/FixedDocumentSequence.fdseq"/></Relationships>',
    "FixedDocumentSequence.fdseq": f'<FixedDocumentSequence xmlns="{XPS}"><DocumentReference Source="/Documents/1/FixedDocument.fdoc"/></FixedDocumentSequence>',
    "Documents/1/FixedDocument.fdoc": f'<FixedDocument xmlns="{XPS}"><PageContent Source="/Documents/1/Pages/1.fpage" Width="816" Height="1056"/></FixedDocument>',
    "Documents/1/Pages/1.fpage": f'<FixedPage xmlns="{XPS}" Width="816" Height="1056" xml:lang="en-US">{glyphs}</FixedPage>',
    "Documents/1/Pages/_rels/1.fpage.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="R1" Type="{XPS}/required-resource" Target="/Resources/font.ttf"/></Relationships>',
    "Resources/font.ttf": made.getvalue(),
}
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as package:
    for name, content in parts.items():
        package.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
