"""
Writes documents whose word positions are known before any program has laid them out, and places.json, which lists these positions.

The positions are computed: advance widths from the fonts' own tables (fontTools), greedy line breaking, line heights fixed by the
documents, tab stops, margins, columns and cells of known size, coordinates. Words consist of letters without kerning pairs or ligatures,
and each occurs only once, so that it can be found. Where a letter sits within its line is up to the application: only the line is known.

Run: python3 layout.py FOLDER [SOFFICE]. With LibreOffice, also writes formats that nothing else writes, converted from the others.
"""
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from fontTools.ttLib import TTFont

fonts = {"serif": ("Liberation Serif", "LiberationSerif-Regular"), "bold": ("Liberation Sans", "LiberationSans-Bold"),
         "mono": ("Liberation Mono", "LiberationMono-Regular"), "sans": ("Liberation Sans", "LiberationSans-Regular")}
tables = {name: TTFont(f"/usr/share/fonts/truetype/liberation2/{file}.ttf") for name, (_, file) in fonts.items()}
wide, high, margin = 11906 / 20, 16838 / 20, 72.0
inner = wide - 2 * margin


def width(text, font, size):
    table = tables[font]
    glyphs, advances = table.getBestCmap(), table["hmtx"]
    return sum(advances[glyphs[ord(each)]][0] for each in text) * size / table["head"].unitsPerEm


syllables = [c + v for c in "bdmnst" for v in "aeiou"]
made = 0


def words(count):
    """New words: the first two syllables make them unique, the rest varies the length."""
    global made
    some = []
    for _ in range(count):
        tail = "".join(syllables[(made * 7 + each) % 30] for each in range((made * 5) % 4))
        some.append(syllables[made // 30] + syllables[made % 30] + tail)
        made += 1
    return some


def begin():
    """Starts another document, which may repeat the words of earlier ones."""
    global made
    made = 0


class Block:
    def __init__(self, text, font="serif", size=12, line=18, after=0, align="left", first=0, tabs=()):
        self.text, self.font, self.size, self.line, self.after = text, font, size, line, after
        self.align, self.first, self.tabs = align, first, tabs


class Table:
    def __init__(self, columns, height, rows):
        self.columns, self.height, self.rows = columns, height, rows


class Places:
    """Word positions: page, left edge and middle of the line in points from the page's top left corner, and how far a word may be from
    that middle and still be within its line."""
    def __init__(self):
        self.found = []

    def put(self, word, page, left, middle, line=0, font="serif", size=0):
        table = tables[font]
        tall = (table["hhea"].ascent - table["hhea"].descent) * size / table["head"].unitsPerEm
        self.found.append([word, page, round(left, 2), round(middle, 2), round(max(0, line - tall) / 2, 2)])


def lines_of(block, measure):
    """A line ends where the next word would not fit."""
    lines, line, used = [], [], block.first
    for word in block.text:
        w = width(word, block.font, block.size)
        space = width(" ", block.font, block.size) if line else 0
        if line and used + space + w > measure:
            lines.append(line)
            line, used, space = [], 0, 0
        line.append(word)
        used += space + w
    return lines + [line]


def put_line(places, block, line, page, left, top, measure, is_first, is_last):
    space = width(" ", block.font, block.size)
    widths = [width(word, block.font, block.size) for word in line]
    free = measure - sum(widths) - space * (len(line) - 1) - (block.first if is_first else 0)
    x = left + (block.first if is_first else 0) + {"center": free / 2, "right": free}.get(block.align, 0)
    if block.align == "justify" and not is_last:
        space += free / (len(line) - 1)
    for word, w in zip(line, widths):
        places.put(word, page, x, top + block.line / 2, block.line, block.font, block.size)
        x += w + space


def put_tabbed(places, block, page, left, top):
    place = (top + block.line / 2, block.line, block.font, block.size)
    places.put(block.text[0], page, left, *place)
    for word, (kind, stop) in zip(block.text[1:], block.tabs):
        places.put(word, page, left + stop - width(word, block.font, block.size) * {"left": 0, "center": 0.5, "right": 1}[kind], *place)


def put_block(places, block, page, left, top, measure):
    if block.tabs:
        put_tabbed(places, block, page, left, top)
        return top + block.line + block.after
    lines = lines_of(block, measure)
    for index, line in enumerate(lines):
        put_line(places, block, line, page, left, top + index * block.line, measure, index == 0, index == len(lines) - 1)
    return top + len(lines) * block.line + block.after


def put_table(places, table, page, left, top):
    for row in table.rows:
        x = left
        for cell, column in zip(row, table.columns):
            cursor = x
            for word in cell:
                places.put(word, page, cursor, top + 9, 18, "serif", 12)
                cursor += width(word + " ", "serif", 12)
            x += column
        top += table.height
    return top


def put_columns(places, block, page, count, gap, top=margin, bottom=high - margin):
    measure = (inner - gap * (count - 1)) / count
    lines = lines_of(block, measure)
    fits = int((bottom - top) / block.line)
    for index, line in enumerate(lines):
        column = index // fits
        left = margin + (column % count) * (measure + gap)
        put_line(places, block, line, page + column // count, left, top + index % fits * block.line, measure, index == 0, index == len(lines) - 1)
    return page + (len(lines) - 1) // fits // count


stops = (("left", 120), ("right", 300), ("center", 380))
head = Block(words(1), "sans", 9, 12)
first_page = [
    Block(words(4), "bold", 16, 24, 12), Block(words(70), first=18, after=6), Block(words(4), align="center"), Block(words(4), align="right"),
    Block(words(60), align="justify", after=6), *[Block(words(4), tabs=stops) for _ in range(3)],
    Table((100, 150, 200), 24, [[words(2) for _ in range(3)] for _ in range(3)]), Block(words(5), "mono", 10, 18),
]
flow = Block(words(560), "serif", 11, 16)


def text_places(count, gap):
    places = Places()
    top = margin
    for block in first_page:
        top = put_table(places, block, 1, margin, top) if isinstance(block, Table) else put_block(places, block, 1, margin, top, inner)
    last = put_columns(places, flow, 2, count, gap)
    for page in range(1, last + 1):
        places.put(head.text[0], page, margin, 36 + head.line / 2, head.line, head.font, head.size)
    return places.found


half = lambda points: round(points * 2)
twips = lambda points: round(points * 20)


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in members.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            package.writestr(entry, text)


# Word -------------------------------------------------------------------------------------------------------------------------------------

xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
word_names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def word_run(text, font, size):
    family = fonts[font][0]
    bold = "<w:b/>" if font == "bold" else ""
    return (f'<w:r><w:rPr><w:rFonts w:ascii="{family}" w:hAnsi="{family}" w:cs="{family}"/>{bold}<w:sz w:val="{half(size)}"/></w:rPr>'
            f'<w:t xml:space="preserve">{text}</w:t></w:r>')


def word_paragraph(block, section="", page_break=""):
    tabs = "".join(f'<w:tab w:val="{kind}" w:pos="{twips(stop)}"/>' for kind, stop in block.tabs)
    align = {"justify": "both"}.get(block.align, block.align)
    text = word_run(" ".join(block.text), block.font, block.size)
    if block.tabs:
        text = "<w:r><w:tab/></w:r>".join(word_run(word, block.font, block.size) for word in block.text)
    return (f'<w:p><w:pPr>{page_break}<w:widowControl w:val="0"/>{f"<w:tabs>{tabs}</w:tabs>" if tabs else ""}'
            f'<w:spacing w:before="0" w:after="{twips(block.after)}" w:line="{twips(block.line)}" w:lineRule="exact"/>'
            f'<w:ind w:firstLine="{twips(block.first)}"/><w:jc w:val="{align}"/>{section}</w:pPr>{text}</w:p>')


def word_table(table):
    zero = "".join(f'<w:{side} w:w="0" w:type="dxa"/>' for side in ("top", "left", "bottom", "right"))
    grid = "".join(f'<w:gridCol w:w="{twips(column)}"/>' for column in table.columns)
    rows = "".join(
        f'<w:tr><w:trPr><w:trHeight w:val="{twips(table.height)}" w:hRule="exact"/></w:trPr>'
        + "".join(f'<w:tc><w:tcPr><w:tcW w:w="{twips(column)}" w:type="dxa"/></w:tcPr>{word_paragraph(Block(cell))}</w:tc>'
                  for cell, column in zip(row, table.columns)) + "</w:tr>" for row in table.rows)
    return (f'<w:tbl><w:tblPr><w:tblW w:w="{twips(sum(table.columns))}" w:type="dxa"/><w:tblInd w:w="0" w:type="dxa"/><w:tblLayout w:type="fixed"/>'
            f'<w:tblCellMar>{zero}</w:tblCellMar></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>')


def word_section(columns):
    return (f'<w:sectPr><w:headerReference w:type="default" r:id="rId1"/><w:type w:val="nextPage"/><w:pgSz w:w="11906" w:h="16838"/>'
            f'<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>{columns}</w:sectPr>')


def write_docx(path):
    blocks = [word_table(each) if isinstance(each, Table) else word_paragraph(each) for each in first_page[:-1]]
    blocks += [word_paragraph(first_page[-1], word_section("")), word_paragraph(flow)]
    body = "".join(blocks) + word_section('<w:cols w:num="2" w:space="720"/>')
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    zipped(path, {
        "[Content_Types].xml": xml + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{types}.document.main+xml"/>'
        f'<Override PartName="/word/settings.xml" ContentType="{types}.settings+xml"/>'
        f'<Override PartName="/word/header1.xml" ContentType="{types}.header+xml"/></Types>',
        "_rels/.rels": xml + f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{relations}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": xml + f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="{relations}/header" Target="header1.xml"/><Relationship Id="rId2" Type="{relations}/settings" Target="settings.xml"/></Relationships>',
        "word/settings.xml": xml + f'<w:settings {word_names}><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>',
        "word/header1.xml": xml + f"<w:hdr {word_names}>{word_paragraph(head)}</w:hdr>",
        "word/document.xml": xml + f"<w:document {word_names}><w:body>{body}</w:body></w:document>",
    })


# RTF --------------------------------------------------------------------------------------------------------------------------------------

def rtf_paragraph(block, end="\\par"):
    font = list(fonts).index(block.font)
    tabs = "".join({"left": "", "right": "\\tqr", "center": "\\tqc"}[kind] + f"\\tx{twips(stop)}" for kind, stop in block.tabs)
    align = {"left": "\\ql", "center": "\\qc", "right": "\\qr", "justify": "\\qj"}[block.align]
    text = ("\\tab " if block.tabs else " ").join(block.text)
    bold = "\\b" if block.font == "bold" else ""
    table = "\\intbl" if end == "\\cell" else ""
    return (f"\\pard\\plain{table}\\nowidctlpar{align}{tabs}\\fi{twips(block.first)}\\sl-{twips(block.line)}\\slmult0\\sa{twips(block.after)}"
            f"\\f{font}{bold}\\fs{half(block.size)} {text}{end}\n")


def rtf_table(table):
    edges = [sum(table.columns[: index + 1]) for index in range(len(table.columns))]
    cells = "".join(f"\\cellx{twips(edge)}" for edge in edges)
    return "".join(f"\\trowd\\trgaph0\\trleft0\\trrh-{twips(table.height)}{cells}\n" + "".join(rtf_paragraph(Block(cell), "\\cell") for cell in row) + "\\row\n"
                   for row in table.rows)


def write_rtf(path):
    table = "".join(f"{{\\f{index}\\fnil {family};}}" for index, (family, _) in enumerate(fonts.values()))
    page = "\\paperw11906\\paperh16838\\margl1440\\margr1440\\margt1440\\margb1440"
    header = "\\headery720\\footery720{\\header " + rtf_paragraph(head) + "}"
    body = "".join(rtf_table(each) if isinstance(each, Table) else rtf_paragraph(each) for each in first_page)
    path.write_text("{\\rtf1\\ansi\\deff0{\\fonttbl" + table + "}" + page + "\n\\sectd" + header + body +
                    "\\sect\\sectd\\sbkpage\\cols2\\colsx720" + header + rtf_paragraph(flow) + "}\n")


# OpenDocument -----------------------------------------------------------------------------------------------------------------------------

open_names = " ".join(f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for short, name in (
    ("office", "office"), ("style", "style"), ("text", "text"), ("table", "table"), ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible")))


def open_style(name, block, more=""):
    align = {"left": "start", "right": "end"}.get(block.align, block.align)
    tabs = "".join(f'<style:tab-stop style:position="{stop}pt" style:type="{kind}"/>' for kind, stop in block.tabs)
    weight = ' fo:font-weight="bold"' if block.font == "bold" else ""
    return (f'<style:style style:name="{name}" style:family="paragraph"{more}><style:paragraph-properties fo:line-height="{block.line}pt" '
            f'fo:margin-bottom="{block.after}pt" fo:margin-top="0pt" fo:text-indent="{block.first}pt" fo:text-align="{align}" fo:widows="0" fo:orphans="0">'
            f'<style:tab-stops>{tabs}</style:tab-stops></style:paragraph-properties><style:text-properties style:font-name="{fonts[block.font][0]}" '
            f'fo:font-size="{block.size}pt" style:letter-kerning="false"{weight}/></style:style>')


def open_paragraph(name, block):
    return f'<text:p text:style-name="{name}">{("<text:tab/>" if block.tabs else " ").join(block.text)}</text:p>'


def open_table(table):
    columns = "".join(f'<table:table-column table:style-name="col{index}"/>' for index in range(len(table.columns)))
    rows = "".join('<table:table-row table:style-name="row">' + "".join(f'<table:table-cell table:style-name="cell">{open_paragraph("cellText", Block(cell))}</table:table-cell>'
                   for cell in row) + "</table:table-row>" for row in table.rows)
    return f'<table:table table:name="T" table:style-name="tab">{columns}{rows}</table:table>'


def open_styles(table):
    columns = "".join(f'<style:style style:name="col{index}" style:family="table-column"><style:table-column-properties style:column-width="{column}pt"/></style:style>'
                      for index, column in enumerate(table.columns))
    return (f'<style:style style:name="tab" style:family="table"><style:table-properties style:width="{sum(table.columns)}pt" table:align="left" fo:margin-left="0pt"/></style:style>{columns}'
            f'<style:style style:name="row" style:family="table-row"><style:table-row-properties style:row-height="{table.height}pt"/></style:style>'
            '<style:style style:name="cell" style:family="table-cell"><style:table-cell-properties fo:padding="0pt" fo:border="none"/></style:style>' + open_style("cellText", Block([])))


def open_pages():
    layout = (f'fo:page-width="{wide}pt" fo:page-height="{high}pt" fo:margin-left="72pt" fo:margin-right="72pt" fo:margin-bottom="72pt" fo:margin-top="36pt"')
    header = '<style:header-style><style:header-footer-properties svg:height="36pt" fo:margin-bottom="24pt" style:dynamic-spacing="false"/></style:header-style>'
    columns = '<style:columns fo:column-count="2" fo:column-gap="36pt"/>'
    pages = [("one", ""), ("two", columns)]
    layouts = "".join(f'<style:page-layout style:name="{name}"><style:page-layout-properties {layout}>{inside}</style:page-layout-properties>{header}</style:page-layout>' for name, inside in pages)
    masters = "".join(f'<style:master-page style:name="{name}" style:page-layout-name="{name}"><style:header>{open_paragraph("head", head)}</style:header></style:master-page>' for name, _ in pages)
    return layouts, masters


def write_odt(path, flat):
    faces = "".join(f'<style:font-face style:name="{family}" svg:font-family="&apos;{family}&apos;"/>' for family in dict.fromkeys(family for family, _ in fonts.values()))
    table = next(each for each in first_page if isinstance(each, Table))
    styles, body = [open_styles(table)], []
    for index, block in enumerate([*first_page, flow]):
        if isinstance(block, Table):
            body.append(open_table(block))
            continue
        more = {0: ' style:master-page-name="one"', len(first_page): ' style:master-page-name="two"'}.get(index, "")
        styles.append(open_style(f"p{index}", block, more))
        body.append(open_paragraph(f"p{index}", block))
    layouts, masters = open_pages()
    faces = f"<office:font-face-decls>{faces}</office:font-face-decls>"
    headed = open_style("head", head)
    content = f"<office:body><office:text>{''.join(body)}</office:text></office:body>"
    automatic = "".join(styles)
    kind = "application/vnd.oasis.opendocument.text"
    flat.write_text(f'{xml}<office:document {open_names} office:version="1.2" office:mimetype="{kind}">{faces}<office:automatic-styles>{layouts}{headed}{automatic}</office:automatic-styles>'
                    f"<office:master-styles>{masters}</office:master-styles>{content}</office:document>")
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    entries = "".join(f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{media}"/>' for name, media in (("/", kind), ("content.xml", "text/xml"), ("styles.xml", "text/xml")))
    zipped(path, {
        "mimetype": kind,
        "META-INF/manifest.xml": f'{xml}<manifest:manifest xmlns:manifest="{manifest}" manifest:version="1.2">{entries}</manifest:manifest>',
        "styles.xml": f'{xml}<office:document-styles {open_names} office:version="1.2">{faces}<office:automatic-styles>{layouts}{headed}</office:automatic-styles><office:master-styles>{masters}</office:master-styles></office:document-styles>',
        "content.xml": f'{xml}<office:document-content {open_names} office:version="1.2">{faces}<office:automatic-styles>{automatic}</office:automatic-styles>{content}</office:document-content>',
    })


# Web pages, drawings, books ---------------------------------------------------------------------------------------------------------------

def css(block):
    weight = "bold" if block.font == "bold" else "normal"
    return (f"margin:0 0 {block.after}pt;font:{weight} {block.size}pt/{block.line}pt '{fonts[block.font][0]}';text-align:{block.align};text-indent:{block.first}pt")


def html_block(block):
    if isinstance(block, Table):
        columns = "".join(f'<col style="width:{column}pt">' for column in block.columns)
        rows = "".join(f'<tr style="height:{block.height}pt">' + "".join(f"<td>{' '.join(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
        return f'<table style="table-layout:fixed;border-collapse:collapse;width:{sum(block.columns)}pt">{columns}{rows}</table>'
    return f'<p style="{css(block)}">{" ".join(block.text)}</p>'


def write_html(path):
    blocks = [block for block in first_page if isinstance(block, Table) or not block.tabs]
    style = (f"@page{{size:{wide}pt {high}pt;margin:72pt}}body{{margin:0;font-kerning:none;font-variant-ligatures:none;widows:1;orphans:1}}"
             "td{padding:0;vertical-align:top;font:12pt/18pt 'Liberation Serif'}")
    long = Block(flow.text, "serif", 12, 18)
    body = "".join(map(html_block, blocks)) + f'<p style="{css(long)};break-before:page">{" ".join(long.text)}</p>'
    path.write_text(f'<!DOCTYPE html>\n<html lang="la"><meta charset="utf-8"><title>Layout</title><style>{style}</style><body>{body}</body></html>\n')
    places = Places()
    top = margin
    for block in blocks:
        top = put_table(places, block, 1, margin, top) if isinstance(block, Table) else put_block(places, block, 1, margin, top, inner)
    put_columns(places, long, 2, 1, 0)
    return places.found


def middle_of(font, size, baseline):
    """Between ascent and descent, as PDF readers place it."""
    table = tables[font]["hhea"]
    return baseline - (table.ascent + table.descent) / 2 * size / tables[font]["head"].unitsPerEm


def write_svg(path):
    begin()
    places, texts = Places(), []
    some = iter(words(40))
    for index in range(16):
        font, size = ("serif", "bold", "mono", "sans")[index % 4], 9 + index % 5 * 3
        x, y, word = 20 + index % 4 * 90, 40 + index // 4 * 60, next(some)
        weight = "bold" if font == "bold" else "normal"
        anchor = ("start", "middle", "end")[index % 3]
        left = x - width(word, font, size) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        if left < 0:
            anchor, left = "start", x
        texts.append(f'<text x="{x}" y="{y}" font-family="{fonts[font][0]}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">{word}</text>')
        places.put(word, 1, left * 0.75, middle_of(font, size, y) * 0.75)
    last = [next(some) for _ in range(4)]
    moved = "".join(f'<text x="0" y="{row * 20}" font-family="Liberation Serif" font-size="10">{word}</text>' for row, word in enumerate(last))
    texts.append(f'<g transform="translate(40 300) scale(1.5)">{moved}</g>')
    for row, word in enumerate(last):
        places.put(word, 1, 40 * 0.75, (300 + 1.5 * middle_of("serif", 10, row * 20)) * 0.75)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="450" viewBox="0 0 400 450"><rect width="400" height="450" fill="#fff"/>{"".join(texts)}</svg>\n')
    return places.found


def subset(font):
    from fontTools.subset import Options, Subsetter
    table = TTFont(f"/usr/share/fonts/truetype/liberation2/{fonts[font][1]}.ttf")
    options = Options()
    options.hinting = False
    cutter = Subsetter(options)
    cutter.populate(text=" bdmnstaeiou")
    cutter.subset(table)
    written = io.BytesIO()
    table.save(written)
    return written.getvalue()


def write_epub(path):
    """Three chapters of one page each. A book has no pages of its own: positions are relative to the first word of a page."""
    begin()
    places, chapters = Places(), []
    faces = "".join(f"@font-face{{font-family:{font};font-weight:{'bold' if font == 'bold' else 'normal'};src:url({font}.ttf)}}" for font in ("serif", "bold", "mono"))
    rows = (("serif", 12, 18, 0), ("serif", 12, 18, 24), ("mono", 10, 24, 0), ("bold", 14, 30, 12))
    for chapter in range(3):
        top, lines = 0, []
        for font, size, line, indent in rows * 3:
            some = words(3)
            weight = "bold" if font == "bold" else "normal"
            lines.append(f'<p style="margin:0 0 0 {indent}pt;font-family:{font};font-weight:{weight};font-size:{size}pt;line-height:{line}pt">{" ".join(some)}</p>')
            x = indent
            for word in some:
                places.put(word, chapter + 1, x, top + line / 2, line, font, size)
                x += width(word + " ", font, size)
            top += line
        chapters.append(f'{xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Chapter {chapter + 1}</title><style>{faces}</style></head><body>{"".join(lines)}</body></html>')
    files = "".join(f'<item id="{font}" href="{font}.ttf" media-type="font/ttf"/>' for font in ("serif", "bold", "mono"))
    names = [f"chapter{index + 1}.xhtml" for index in range(3)]
    items = "".join(f'<item id="c{index}" href="{name}" media-type="application/xhtml+xml"/>' for index, name in enumerate(names))
    listed = "".join(f'<li><a href="{name}">Chapter {index + 1}</a></li>' for index, name in enumerate(names))
    nav = f'{xml}<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Contents</title></head><body><nav epub:type="toc"><ol>{listed}</ol></nav></body></html>'
    zipped(path, {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'{xml}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": f'{xml}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:5f0b1c9e-6f1e-4b6a-9d0e-2f6f3f0f2a11</dc:identifier><dc:title>Layout</dc:title><dc:language>la</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>'
        f'<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}{files}</manifest><spine>{"".join(f"<itemref idref=%sc{index}%s/>" % (chr(34), chr(34)) for index in range(3))}</spine></package>',
        "nav.xhtml": nav, **dict(zip(names, chapters)), **{f"{font}.ttf": subset(font) for font in ("serif", "bold", "mono")},
    })
    return places.found


# Slides and sheets ------------------------------------------------------------------------------------------------------------------------

draw = "http://schemas.openxmlformats.org/drawingml/2006/main"
show_names = f'xmlns:a="{draw}" xmlns:r="{relations}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
boxes = [(40, 30, 640, "bold", 28, 36, "left", 3), (60, 120, 280, "serif", 18, 24, "left", 24), (380, 120, 280, "serif", 18, 24, "right", 6),
         (380, 260, 280, "sans", 14, 20, "center", 6), (60, 440, 400, "mono", 12, 16, "left", 5)]


def show_box(id, box, block):
    left, top, across, font, size, line, align, _ = box
    emu = lambda points: round(points * 12700)
    family, bold = fonts[font][0], ' b="1"' if font == "bold" else ""
    return (f'<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="Box {id}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="{emu(left)}" y="{emu(top)}"/>'
            f'<a:ext cx="{emu(across)}" cy="{emu(line * len(lines_of(block, across)))}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
            f'<p:txBody><a:bodyPr wrap="square" lIns="0" tIns="0" rIns="0" bIns="0"><a:noAutofit/></a:bodyPr><a:p><a:pPr algn="{ {"left": "l", "right": "r", "center": "ctr"}[align]}">'
            f'<a:lnSpc><a:spcPts val="{line * 100}"/></a:lnSpc></a:pPr><a:r><a:rPr lang="la" sz="{size * 100}"{bold} kern="0"><a:latin typeface="{family}"/></a:rPr>'
            f'<a:t>{" ".join(block.text)}</a:t></a:r></a:p></p:txBody></p:sp>')


def write_pptx(path):
    begin()
    places, slides = Places(), []
    for page in range(1, 4):
        shapes = []
        for index, box in enumerate(boxes):
            left, top, across, font, size, line, align, count = box
            block = Block(words(count), font, size, line, align=align)
            shapes.append(show_box(index + 2, box, block))
            put_block(places, block, page, left, top, across)
        slides.append("".join(shapes))
    tree = '<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>%s</p:spTree></p:cSld>'
    map_colours = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
    colours = "".join(f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>' for name, value in (
        ("dk1", "000000"), ("lt1", "FFFFFF"), ("dk2", "222222"), ("lt2", "EEEEEE"), *((f"accent{index}", "336699") for index in range(1, 7)), ("hlink", "0000FF"), ("folHlink", "800080")))
    font = '<a:latin typeface="Liberation Sans"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill, line = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>' * 3, '<a:ln><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>' * 3
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>" * 3
    theme = (f'<a:theme xmlns:a="{draw}" name="Plain"><a:themeElements><a:clrScheme name="Plain">{colours}</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>{font}</a:majorFont><a:minorFont>{font}</a:minorFont></a:fontScheme>'
             f'<a:fmtScheme name="Plain"><a:fillStyleLst>{fill}</a:fillStyleLst><a:lnStyleLst>{line}</a:lnStyleLst><a:effectStyleLst>{effect}</a:effectStyleLst><a:bgFillStyleLst>{fill}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>')
    kind = "application/vnd.openxmlformats-officedocument.presentationml"
    parts = [("ppt/presentation.xml", f"{kind}.presentation.main+xml"), ("ppt/slideMasters/slideMaster1.xml", f"{kind}.slideMaster+xml"), ("ppt/slideLayouts/slideLayout1.xml", f"{kind}.slideLayout+xml"),
             ("ppt/theme/theme1.xml", "application/vnd.openxmlformats-officedocument.theme+xml"), *((f"ppt/slides/slide{page}.xml", f"{kind}.slide+xml") for page in (1, 2, 3))]
    related = lambda *rows: xml + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + "".join(
        f'<Relationship Id="rId{index + 1}" Type="{relations}/{name}" Target="{target}"/>' for index, (name, target) in enumerate(rows)) + "</Relationships>"
    ids = "".join(f'<p:sldId id="{255 + page}" r:id="rId{page + 1}"/>' for page in (1, 2, 3))
    zipped(path, {
        "[Content_Types].xml": xml + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(f'<Override PartName="/{name}" ContentType="{media}"/>' for name, media in parts) + "</Types>",
        "_rels/.rels": related(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'{xml}<p:presentation {show_names}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": related(("slideMaster", "slideMasters/slideMaster1.xml"), *(("slide", f"slides/slide{page}.xml") for page in (1, 2, 3)), ("theme", "theme/theme1.xml")),
        "ppt/slideMasters/slideMaster1.xml": f'{xml}<p:sldMaster {show_names}>{tree % ""}{map_colours}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>',
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": related(("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")),
        "ppt/slideLayouts/slideLayout1.xml": f'{xml}<p:sldLayout {show_names} type="blank">{tree % ""}<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>',
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": related(("slideMaster", "../slideMasters/slideMaster1.xml")),
        "ppt/theme/theme1.xml": xml + theme,
        **{f"ppt/slides/slide{page + 1}.xml": f'{xml}<p:sld {show_names}>{tree % shapes}<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>' for page, shapes in enumerate(slides)},
        **{f"ppt/slides/_rels/slide{page}.xml.rels": related(("slideLayout", "../slideLayouts/slideLayout1.xml")) for page in (1, 2, 3)},
    })
    return places.found


def write_xlsx(path):
    """Widths in characters of the default font: ECMA-376, 18.3.1.13 (7 pixels per digit, 96 dpi), and rows of whole pixels."""
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.worksheet.pagebreak import Break
    begin()
    book, places = Workbook(), Places()
    book._named_styles["Normal"].font = Font(name="Liberation Sans", size=10)
    sheet = book.active
    widths, height = (15, 25, 20, 15), 21
    edges = [sum(int((256 * each + 128 // 7) / 256 * 7) for each in widths[:index]) * 0.75 for index in range(len(widths))]
    for index, each in enumerate(widths):
        sheet.column_dimensions["ABCD"[index]].width = each
    break_after, fits = 20, int((high - 2 * margin) / height)
    for row in range(1, break_after + fits + 11):
        sheet.row_dimensions[row].height = height
        page, place = (1, row - 1) if row <= break_after else (2 + (row - 1 - break_after) // fits, (row - 1 - break_after) % fits)
        for column, letter in enumerate("ABCD" if row % 4 == 1 else "A"):
            (word,) = words(1)
            cell = sheet[f"{letter}{row}"]
            font = ("sans", "serif", "bold", "mono")[column]
            cell.value, cell.font = word, Font(name=fonts[font][0], size=10, bold=font == "bold")
            cell.alignment = Alignment(vertical="center")
            places.put(word, page, margin + edges[column], margin + place * height + height / 2, height, font, 10)
    sheet.row_breaks.append(Break(id=break_after))
    sheet.page_setup.paperSize = 9
    for side in ("left", "right", "top", "bottom"):
        setattr(sheet.page_margins, side, 1.0)
    sheet.page_margins.header = sheet.page_margins.footer = 0.3
    book.save(path)
    return places.found


def assert_unjoined():
    """Ensures that the words contain no kerning pairs or ligatures, so that widths add up."""
    for name, table in tables.items():
        joined = {pair for part in (table["kern"].kernTables if "kern" in table else []) for pair in part.kernTable}
        letters = set("bdmnstaeiou")
        assert not [pair for pair in joined if set(pair) <= letters], name


def main(folder, soffice):
    assert_unjoined()
    folder.mkdir(exist_ok=True)
    at = lambda format: folder / f"layout.{format}"
    write_docx(at("docx"))
    write_rtf(at("rtf"))
    write_odt(at("odt"), at("fodt"))
    places = {"text": text_places(2, 36), "html": write_html(at("html")), "svg": write_svg(at("svg")), "epub": write_epub(at("epub")),
              "slides": write_pptx(at("pptx")), "cells": write_xlsx(at("xlsx"))}
    for source, format in (("docx", "doc"), ("pptx", "odp")) if soffice else ():
        subprocess.run([soffice, "--headless", "--convert-to", format, "--outdir", folder, at(source)], check=True, stdout=subprocess.DEVNULL)
    (folder / "places.json").write_text(json.dumps(places, separators=(",", ":")).replace("],[", "],\n[") + "\n")


main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
