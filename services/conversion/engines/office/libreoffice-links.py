"""Relative links in workbooks of Excel and in RTF, which the office makes absolute, and addresses with escapes, which it writes without them for Word."""
import os
import posixpath
import re
import zipfile
from itertools import islice
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr, unescape

from binary import COMPOUND
from com.sun.star.beans import PropertyValue
from com.sun.star.uno import RuntimeException
from packages import DAMAGED, TEXTS, excel_sheets, local, may_mention, relations, told, write_changed


# @see com.sun.star.sheet.CellFlags, com.sun.star.sheet.FormulaResult
TEXT, NUMBER = 4, 1
MOST = 10_000


def shorten(document, path, is_page):
    """A link into the workbook itself must not name our file. On a page, nor may others."""
    own, folder = "file://" + path, "file://" + path.rpartition("/")[0] + "/"
    sheets = document.getSheets()
    for name, reference, target in workbook_links(path):
        if not sheets.hasByName(name):
            continue
        for field in fields_in(sheets.getByName(name), reference):
            url = getattr(field, "URL", "")
            if url.startswith(own + "#"):
                field.URL = url[len(own) :].replace("!", ".")
            elif is_page and url.startswith(folder):
                field.URL = url[len(folder) :]
            elif is_page and url.startswith("file:///"):
                # It leads out of our folder.
                field.URL = target.partition("#")[0] + "".join(url.partition("#")[1:])


def numbers_linked(document, path):
    """The first four cells with a number and a link, which the office only keeps in Excel's formats."""
    found = []
    for name, reference, _ in islice(workbook_links(path, ""), MOST):
        if document.getSheets().hasByName(name):
            try:
                cell = document.getSheets().getByName(name).getCellRangeByName(reference).getCellByPosition(0, 0)
            except RuntimeException:
                continue
            if cell.Type.value == "VALUE" or cell.Type.value == "FORMULA" and cell.FormulaResultType2 == NUMBER:
                found.append(cell.AbsoluteName.replace("$", ""))
                if len(found) == 4:
                    break
    return found


def fields_in(sheet, reference):
    try:
        texts = sheet.getCellRangeByName(reference).queryContentCells(TEXT)
    except RuntimeException:
        # No such cells, so the office has no link there.
        return
    for cell in islice(texts.getCells(), MOST):
        fields = cell.getTextFields().createEnumeration()
        while fields.hasMoreElements():
            yield fields.nextElement()


TO_CELL = re.compile(rb'(?<=<a href="#)([^"]*)')
SHEET = re.compile(r"\$?(?:'((?:[^']|'')+)'|([^'.!]+))[.!]")


def to_headings(document):
    """Returns what leads links to cells, in a line of a page, to the headings of their sheets, as the office names these."""
    sheets = document.getSheets().getElementNames() if document.supportsService("com.sun.star.sheet.SpreadsheetDocument") else ()
    # A single sheet has no heading.
    if len(sheets) < 2:
        return lambda line: line
    places = {name: place for place, name in enumerate(sheets)}

    def led(found):
        told = unescape(found[1].decode(), {"&quot;": '"'})
        if document.NamedRanges.hasByName(told):
            told = document.NamedRanges.getByName(told).Content
        sheet = SHEET.match(told)
        place = sheet and places.get(sheet[2] or sheet[1].replace("''", "'"))
        return found[1] if place is None else b"table%d" % place

    return lambda line: TO_CELL.sub(led, line)


RELATIVE = r"(?![A-Za-z][A-Za-z0-9+.-]*:)"


def workbook_links(path, pattern=RELATIVE):
    """Names of sheets, cells and targets of links, of those only that have no scheme, as to a file beside the workbook."""
    found = []
    try:
        with zipfile.ZipFile(path) as package:
            names = set(package.namelist())
            for name, part in excel_sheets(package):
                if re.sub(r"([^/]+)$", r"_rels/\1.rels", part) in names:
                    found += [(name, *link) for link in linked_cells(package, part, pattern)]
    except DAMAGED:
        pass
    return found


def linked_cells(package, part, pattern):
    wanted = {key: target for key, (kind, target) in relations(package, part, False).items() if kind.endswith("/hyperlink") and re.match(pattern, target)}
    if not wanted:
        return
    with package.open(part) as content:
        for _, element in ElementTree.iterparse(content):
            if local(element.tag) == "hyperlink" and told(element, "id") in wanted:
                yield element.get("ref", ""), wanted[told(element, "id")]
            elif local(element.tag) == "row":
                element.clear()


PARTS = re.compile(r"(?:content|styles)\.xml$|.*\.rels$")


def make_relative(path, top, folder):
    """The result must not name our folders, as RTF, cells of an OpenDocument and its pictures would."""
    address = re.compile(rb"file://%s[^\"'<>\\\s]*" % re.escape(top.encode()))

    def changed(content, place):
        return address.sub(lambda found: posixpath.relpath(found[0][7:].decode("latin-1"), place).encode("latin-1"), content)

    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as package:
            # An OpenDocument counts from inside of itself.
            place = folder + "/in" if "content.xml" in package.namelist() else folder
            parts = {name: package.read(name) for name in package.namelist() if PARTS.match(name)}
            made = {name: new for name, content in parts.items() if (new := changed(content, place)) != content}
            if made:
                write_changed(package, path + ".whole", made)
        if made:
            os.replace(path + ".whole", path)
        return
    with open(path, "rb") as file:
        # It has relative links already, and may be large.
        if file.peek(4)[:4] == b"%PDF":
            return
        content = file.read()
    if content.startswith(COMPOUND):
        new = shorten_names(content, top, folder)
    else:
        new = changed(content, folder)
    if new != content:
        with open(path, "wb") as file:
            file.write(new)


def shorten_names(content, top, folder):
    """Links of cells in XLS are relative, but show their address, as long as it is."""
    wide = ("file://" + top).encode("utf-16-le")
    name = re.compile(re.escape(wide) + rb"(?:[\x21-\xff]\0|[\0-\xff][\x01-\xd7\xe0-\xff])*")

    def shortened(found):
        shown = found[0].decode("utf-16-le")
        return posixpath.relpath(shown[7:], folder).ljust(len(shown)).encode("utf-16-le")

    return name.sub(shortened, content)


WORD = re.compile("MS Word 2007 XML")
# What other writers decode: a quotation mark ends the address for Word.
DECODED = {"MS Word 97": "%22|%40", "MS Word 97 Vorlage": "%22|%40", "writer_pdf_Export": "%40"}
ESCAPE = re.compile(b"%")


def keep_escapes(document, job):
    """Writes addresses with their escapes, such as %22, which the office writes decoded.
    Returns the first four that stay decoded."""
    writer = job["exportFilter"]
    if not document.supportsService("com.sun.star.text.TextDocument") or not (WORD.match(writer) or writer in DECODED):
        return []
    if not may_mention(job["input"], ESCAPE, TEXTS):
        return []
    urls = addresses(document)
    if writer in DECODED:
        return [url for url in urls if re.search(DECODED[writer], url)][:4]
    by_text = {}
    for url in urls:
        by_text.setdefault(unquote(url), []).append(url)
    # Of addresses that differ only in their escapes, the written one does not tell which it was.
    sure = {text: same[0] for text, same in by_text.items() if len(same) == 1 and same[0] != text}
    if sure:
        rewrite(job["output"], sure)
    lost = [same[0] for same in by_text.values() if len(same) > 1]
    # An address with a fragment is in the text of a field.
    return (lost + [url for url in urls if re.search("%(?:22|40).*#|#.*%(?:22|40)", url)])[:4]


def addresses(document):
    """Of the links in a text document."""
    search = document.createSearchDescriptor()
    search.ValueSearch = False
    search.setSearchAttributes((PropertyValue("HyperLinkURL", 0, "", 0),))
    found = document.findAll(search)
    return sorted({found.getByIndex(index).HyperLinkURL for index in range(found.getCount())})


TARGET = re.compile(r'\bTarget="([^"]*)" TargetMode="External"')


def rewrite(path, by_text):
    """Puts these addresses into the relations of a Word document."""
    def given(target):
        address = by_text.get(unquote(unescape(target[1], {"&quot;": '"'})))
        return target[0] if address is None else f'Target={quoteattr(address)} TargetMode="External"'

    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name).decode() for name in package.namelist() if re.match(r"word/_rels/\w+\.xml\.rels$", name)}
        changed = {name: made for name, content in parts.items() if (made := TARGET.sub(given, content)) != content}
        if not changed:
            return
        write_changed(package, path + ".whole", changed)
    os.replace(path + ".whole", path)
