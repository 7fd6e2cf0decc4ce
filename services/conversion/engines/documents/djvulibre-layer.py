"""Adds to a PDF of the pages of a DjVu file what only DjVu tools read: the hidden text, links, bookmarks, title.

Usage: djvulibre-layer.py DJVU PDF FONT OUT. Prints a line of JSON: the numbers of pages whose text is left out.
"""
import json
import re
import subprocess
import sys

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream, String

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+', re.S)
ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.S)
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
# Untrusted files may nest without end.
DEEPEST, MOST = 40, 5_000_000
LINK = re.compile(r"(?:https?|ftp|mailto):", re.I)
INFO = {"title": "/Title", "author": "/Author", "subject": "/Subject", "keywords": "/Keywords"}
# Every character is half an em wide, and stands for itself.
MAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identify-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end"""


def said(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def text_of(token):
    def plain(found):
        code = found[1]
        return chr(int(code, 8)) if code[0] in "01234567" else CONTROLS.get(code, code)

    return ESCAPE.sub(plain, token[1:-1])


def lists_in(text):
    """The S-expressions of a text as lists of lists, words (bytes) and strings."""
    stack = [[]]
    for count, found in enumerate(TOKEN.finditer(text)):
        token = found[0]
        if count > MOST:
            raise ValueError("too long")
        if token == "(":
            inner = []
            # What is nested deeper is read, but belongs to nothing.
            if len(stack) <= DEEPEST:
                stack[-1].append(inner)
            stack.append(inner)
        elif token == ")":
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].append(text_of(token) if token[0] == '"' else token.encode())
    return stack[0]


def words_of(zone):
    """The innermost zones with text, each as left, bottom, right, top, text."""
    todo = [zone]
    while todo:
        item = todo.pop()
        if len(item) == 6 and isinstance(item[5], str):
            yield [int(each) for each in item[1:5]] + [item[5].strip()]
        todo += reversed([each for each in item if isinstance(each, list)])


def font_of(pdf, path):
    with open(path, "rb") as file:
        program = Stream(pdf, file.read())
    descriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=Name.GlyphLessFont, Flags=5, FontBBox=Array([0, 0, 500, 1000]), ItalicAngle=0, Ascent=1000,
        Descent=-1, CapHeight=1000, StemV=80, FontFile2=pdf.make_indirect(program),
    )
    inner = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.GlyphLessFont, DW=500, FontDescriptor=pdf.make_indirect(descriptor),
        CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
        CIDToGIDMap=pdf.make_indirect(Stream(pdf, b"\0\1" * 65536)),
    )
    return pdf.make_indirect(Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.GlyphLessFont, Encoding=Name("/Identity-H"),
        DescendantFonts=Array([pdf.make_indirect(inner)]), ToUnicode=pdf.make_indirect(Stream(pdf, MAP)),
    ))


def layer_of(zone, scale):
    """Invisible words (text rendering mode 3) over their pictures."""
    parts = ["q BT 3 Tr"]
    for left, bottom, right, top, text in words_of(zone):
        code = text.encode("utf-16-be", "ignore")
        size, width = (top - bottom) * scale, (right - left) * scale
        if code and size > 0 and width > 0:
            stretch = 100 * width / (len(code) / 2 * 0.5 * size)
            parts.append(f"/DjVuText {size:.2f} Tf {stretch:.2f} Tz 1 0 0 1 {left * scale:.2f} {(bottom + (top - bottom) * 0.2) * scale:.2f} Tm <{code.hex()}> Tj")
    return " ".join([*parts, "ET Q"]).encode() if len(parts) > 1 else b""


def link_of(pdf, area, scale, place_of):
    address = next((part for part in area[1:2] if isinstance(part, str)), None) or next((part[1] for part in area[1:2] if len(part) > 1), "")
    box = next((part for part in area if isinstance(part, list) and part[:1] == [b"rect"] and len(part) == 5), None)
    if not isinstance(address, str) or box is None:
        return None
    left, bottom, width, height = (int(each) * scale for each in box[1:])
    goal = place_of(address)
    if goal is None and not LINK.match(address):
        return None
    target = {"Dest": Array([goal, Name.Fit])} if goal is not None else {"A": Dictionary(S=Name.URI, URI=String(address))}
    rect = Array([left, bottom, left + width, bottom + height])
    return pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=rect, Border=Array([0, 0, 0]), F=4, **target))


def bookmarks_of(items, place_of, depth=0):
    for item in items if depth < DEEPEST else ():
        if isinstance(item, list) and len(item) > 1 and isinstance(item[0], str):
            goal = place_of(item[1]) if isinstance(item[1], str) else None
            bookmark = pikepdf.OutlineItem(item[0], Array([goal, Name.Fit]) if goal is not None else None)
            bookmark.children.extend(bookmarks_of(item[2:], place_of, depth + 1))
            yield bookmark


def describe(pdf, meta):
    for line in meta.splitlines():
        name, _, value = line.partition("\t")
        if name.lower() in INFO and value.startswith('"'):
            pdf.docinfo[INFO[name.lower()]] = String(text_of(value))


def main(source, drawn, font, target):
    with pikepdf.open(drawn) as pdf:
        pages = [page.obj for page in pdf.pages]
        # For each page a line with its size, followed by its annotations.
        script = "\n".join(f"select {number}; size; print-ant" for number in range(1, len(pages) + 1))
        with open(target + ".djvused", "w", encoding="ascii") as file:
            file.write(script)
        notes = re.split(r"^width=(\d+) height=(\d+)( rotation=[123])?[^\n]*$", said("djvused", "-u", "-f", file.name, source), flags=re.M)[1:]
        names = re.findall(r"^ *(\d+) P +\d+ +([^\n]*?)(?: T=.*)?$", said("djvused", "-u", source, "-e", "ls"), re.M)
        numbers = {name: int(number) for number, name in names}

        def place_of(address):
            goal = address[1:] if address.startswith("#") else ""
            number = int(goal) if re.fullmatch("[0-9]{1,6}", goal) else numbers.get(goal, 0)
            return pages[number - 1] if 1 <= number <= len(pages) else None

        zones = [item for item in lists_in(said("djvutxt", "--detail=word", source)) if isinstance(item, list)]
        own, lost = font_of(pdf, font), []
        for index, page in enumerate(pages):
            width, _, rotation, told = notes[index * 4 : index * 4 + 4]
            zone = zones[index] if index < len(zones) else []
            if rotation:
                # Positions are those before the rotation.
                lost += [index + 1] if zone else []
                continue
            scale = float(pdf.pages[index].mediabox[2]) / max(1, int(width))
            layer = layer_of(zone, scale)
            if layer:
                page.Resources.Font = Dictionary(DjVuText=own)
                pdf.pages[index].contents_add(Stream(pdf, layer))
            links = [link_of(pdf, area, scale, place_of) for area in lists_in(told) if area[:1] == [b"maparea"] and len(area) > 2]
            if any(links):
                page.Annots = Array([link for link in links if link is not None])
        with pdf.open_outline() as outline:
            for item in lists_in(said("djvused", "-u", source, "-e", "print-outline")):
                outline.root.extend(bookmarks_of(item[1:], place_of))
        describe(pdf, said("djvused", "-u", source, "-e", "print-meta"))
        pdf.save(target)
    print(json.dumps(lost))


main(*sys.argv[1:])
