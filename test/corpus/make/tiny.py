"""Writes test/corpus/tiny: a minimal file of each everyday format: one pixel, one letter, one cell, an empty entry, an instant.

Pictures by Pillow, sound, archives and documents by Python alone, film by GStreamer: none of them is an engine.
"""
import gzip
import io
import os
import struct
import subprocess
import tarfile
import wave
import zipfile

from PIL import Image

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tiny")
THEN = (2026, 1, 1, 0, 0, 0)


def put(format, content):
    with open(os.path.join(HERE, f"tiny.{format}"), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def packed(members, first=None):
    """A ZIP; `first` is its first member, stored uncompressed, as OpenDocument and EPUB require."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, content in ([("mimetype", first)] if first else []) + list(members.items()):
            info = zipfile.ZipInfo(name, THEN)
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            target.writestr(info, content)
    return out.getvalue()


def pictures():
    dot = Image.new("RGB", (1, 1), (200, 30, 30))
    names = {"jpg": "JPEG", "tiff": "TIFF", "jp2": "JPEG2000", "ppm": "PPM"}
    for format in "png jpg gif webp bmp tiff ppm tga ico jp2".split():
        out = io.BytesIO()
        dot.save(out, names.get(format, format.upper()), **({"sizes": [(1, 1)]} if format == "ico" else {}))
        put(format, out.getvalue())
    put("pgm", b"P5\n1 1\n255\n\x60")
    put("pbm", b"P4\n1 1\n\x80")
    put("qoi", b"qoif" + struct.pack(">IIBB", 1, 1, 3, 0) + b"\xfe\xc8\x1e\x1e" + bytes(7) + b"\x01")
    put("svg", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><rect width="1" height="1" fill="#c81e1e"/></svg>')


def texts():
    for format in "txt md rst".split():
        put(format, "Q")
    put("html", "<p>Q")
    put("tex", "\\documentclass{article}\\begin{document}Q\\end{document}")
    put("rtf", "{\\rtf1 Q}")
    put("eml", "From: a@example.org\nSubject: Q\n\nQ")
    put("srt", "1\n00:00:00,000 --> 00:00:00,100\nQ\n")
    put("vtt", "WEBVTT\n\n00:00.000 --> 00:00.100\nQ\n")
    put("csv", "Q")
    put("tsv", "Q\n7")
    put("json", '[{"Q":7}]')
    put("yaml", "- Q: 7")
    put("ndjson", '{"Q":7}')
    put("xml", "<Q>7</Q>")
    put("gv", "graph{Q}")


def documents():
    body = "http://schemas.openxmlformats.org"
    types = '<?xml version="1.0"?><Types xmlns="%s/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>%s</Types>'
    part = '<Override PartName="/%s" ContentType="application/vnd.openxmlformats-officedocument.%s.main+xml"/>'
    relations = '<?xml version="1.0"?><Relationships xmlns="%s/package/2006/relationships"><Relationship Id="r1" Type="%s/officeDocument/2006/relationships/%s" Target="%s"/></Relationships>'
    put("docx", packed({
        "[Content_Types].xml": types % (body, part % ("word/document.xml", "wordprocessingml.document")),
        "_rels/.rels": relations % (body, body, "officeDocument", "word/document.xml"),
        "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{body}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Q</w:t></w:r></w:p></w:body></w:document>',
    }))
    sheet = '<Override PartName="/xl/worksheets/a.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
    cells = f'xmlns="{body}/spreadsheetml/2006/main"'
    put("xlsx", packed({
        "[Content_Types].xml": types % (body, part % ("xl/workbook.xml", "spreadsheetml.sheet") + sheet),
        "_rels/.rels": relations % (body, body, "officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<?xml version="1.0"?><workbook {cells} xmlns:r="{body}/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations % (body, body, "worksheet", "worksheets/a.xml"),
        "xl/worksheets/a.xml": f'<?xml version="1.0"?><worksheet {cells}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Q</t></is></c></row></sheetData></worksheet>',
    }))
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    for format, kind, inner in (
        ("odt", "text", "<text:p>Q</text:p>"),
        ("ods", "spreadsheet", '<table:table table:name="A"><table:table-row><table:table-cell office:value-type="string"><text:p>Q</text:p></table:table-cell></table:table-row></table:table>'),
    ):
        mime = f"application/vnd.oasis.opendocument.{kind}"
        names = " ".join(f'xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "text", "table"))
        put(format, packed({
            "META-INF/manifest.xml": f'<?xml version="1.0"?><manifest:manifest xmlns:manifest="{oasis}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
            "content.xml": f'<?xml version="1.0"?><office:document-content {names} office:version="1.2"><office:body><office:{kind}>{inner}</office:{kind}></office:body></office:document-content>',
        }, mime))
    put("epub", packed({
        "META-INF/container.xml": '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "a.opf": '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Q</dc:title><dc:language>en</dc:language><dc:identifier id="i">q</dc:identifier></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        "a.xhtml": '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Q</title></head><body><p>Q</p></body></html>',
    }, "application/epub+zip"))
    page()


def page():
    """A page with one letter in a font that need not be embedded."""
    drawn = b"BT /F 12 Tf 5 5 Td (Q) Tj ET"
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 20]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, content in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    put("pdf", made + b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(made))


def archives():
    put("zip", packed({"empty": b""}))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as target:
        target.addfile(tarfile.TarInfo("empty"))
    put("tar", out.getvalue()[:1536])
    put("tgz", gzip.compress(out.getvalue(), mtime=0))
    put("gz", gzip.compress(b"", mtime=0))


def shapes():
    put("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    put("stl", bytes(80) + struct.pack("<I12fH", 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0))
    put("geojson", '{"type":"Point","coordinates":[8,47]}')
    put("gpx", '<gpx version="1.1" creator="q" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="47" lon="8"/></gpx>')


def sound():
    out = io.BytesIO()
    with wave.open(out, "wb") as target:
        target.setparams((1, 2, 8000, 0, "NONE", ""))
        target.writeframes(b"".join(struct.pack("<h", 9000 if at // 8 % 2 else -9000) for at in range(400)))
    put("wav", out.getvalue())


def film():
    """One frame."""
    source = ["videotestsrc", "num-buffers=1", "pattern=smpte", "!", "video/x-raw,format=I420,width=16,height=16,framerate=25/1", "!"]
    for format, ways in (("mp4", "x264enc ! mp4mux"), ("webm", "vp8enc ! webmmux"), ("avi", "jpegenc ! avimux")):
        place = os.path.join(HERE, f"tiny.{format}")
        subprocess.run(["gst-launch-1.0", "-q", *source, *ways.split(), "!", "filesink", f"location={place}"], check=True)


for make in (pictures, texts, documents, archives, shapes, sound, film):
    make()
