"""Documents keep the last result of each field. The office computes some anew, from what it does not have: the file's name, which is
ours here, dates of saving, conditions, and places that the document no longer names. Those fields become their results, and where
the target has no fields, as PDF, so do those of today's date and others that would show what the reader has not seen."""
import re
import zipfile
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from packages import DAMAGED, TEXTS, local, may_mention, outside, related, write_changed

PART = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
MARK = re.compile(
    rb"<w:fldChar\b([^<>]*)(?:(?<=/)>|></w:fldChar>)|<w:instrText\b[^<>]*>([^<]*)</w:instrText>|"
    rb"<w:fldSimple\b([^<>]*)(?<!/)>|(</w:fldSimple>)"
)
KIND = re.compile(rb'\bw:fldCharType="(begin|separate|end)"')
CODE = re.compile(rb'\bw:instr="([^"]*)"')
KEPT = re.compile(rb"\s*(?:FILENAME|IF|SAVEDATE|PRINTDATE|LASTSAVEDBY)\b", re.I)
FIXED = re.compile(rb"\s*(?:DATE|TIME|TITLE|SUBJECT|COMMENTS|KEYWORDS|INFO|NUMWORDS|NUMCHARS|SEQ|REF\b[^<>]*?\\[nrwp])\b", re.I)
LINK = re.compile(rb"\s*HYPERLINK\b", re.I)
# What Word shows of the document's properties.
OF_PROPERTY = {b"TITLE": "title", b"SUBJECT": "subject", b"KEYWORDS": "keywords", b"COMMENTS": "description"}
TEXT = re.compile(rb"<w:t(?:\s[^<>]*)?>([^<]*)</w:t>")
# What a code shows of the fields inside it.
INSIDE = re.compile(TEXT.pattern + rb"|" + MARK.pattern + rb"|<w:(?:tab|br|cr)(?:\s[^<>]*)?/>")
# What Word shows without a result, and documents in other formats or files.
EMPTY = re.compile(rb"\s*(?:EQ|GOTOBUTTON|LISTNUM)\b", re.I)
PARTS = re.compile(rb"<w:(?:altChunk|subDoc)\b")
OPEN_PART = re.compile(r"(?:content|styles)\.xml$")
OPEN_NAME = re.compile(rb"</?text:(?:file|template)-name\b[^<>]*>")
OPEN_TIME = re.compile(rb"</?text:(?:date|time|word-count|character-count)\b[^<>]*>")
# DOCX would show the title of the book instead of the label.
OPEN_MARK = re.compile(rb"</?text:bibliography-mark\b[^<>]*>")
PLACE = re.compile(rb'\s*(?:REF|PAGEREF|NOTEREF)\s+"?([^\s"\\]+)', re.I)
NAME = re.compile(rb'<w:bookmarkStart\b[^<>]*\bw:name="([^"]*)"')
# Content controls, and what shows that one holds more than words.
CONTROL = re.compile(
    rb"<w:(?:(?P<begin>sdt)|(?P<content>sdtContent)|(?P<more>p|tbl|tr|tc|br|cr|commentReference))(?:\s[^<>]*)?/?>|"
    rb"</w:(?:(?P<close>sdtContent)|(?P<end>sdt))\s*>"
)
CHOICE = re.compile(rb"<w:(?:dropDownList|comboBox|date|picture|docPart(?:Obj|List))\b|<w14:checkbox\b")


def controls(content):
    """The marks of content controls around paragraphs, breaks or comments: the office makes input fields of them, which hold only words."""
    cut, outer, before, last = [], [{}], None, 0
    for mark in CONTROL.finditer(content):
        kind, control = mark.lastgroup, outer[-1]
        if kind == "begin":
            outer.append({kind: mark.start()})
        elif kind != "end":
            control[kind] = mark.start() if kind == "close" else mark.end()
            if kind == "content" and (before != "begin" or CHOICE.search(content, last, mark.start())):
                control["begin"] = None
        elif len(outer) > 1:
            outer.pop()
            begin, head, tail = map(control.get, ("begin", "content", "close"))
            if "more" in control and before == "close" and None not in (begin, head, tail):
                cut += [(begin, head), (tail, mark.end())]
            outer[-1].update({"more": True} if "more" in control else {})
        before, last = kind, mark.end()
    return cut


class Known(NamedTuple):
    """What the document tells: its places, and its properties by the name of an element."""

    places: set
    properties: dict
    is_fixed: bool


def without(content, known, left):
    """The part without the marks of such fields and controls; their results stay. `left` gets the codes of what the office leaves out."""
    cut, fields, simple = controls(content), [], []
    if cut and not known.is_fixed:
        left.add("controls")
    for mark in MARK.finditer(content):
        kind, code, told, end = mark.groups()
        kind, told = first(KIND, kind), first(CODE, told)
        if mark.lastindex in (1, 3) and kind is told is None:
            continue
        if kind == b"begin":
            if fields and not fields[-1]["has_result"]:
                # A field inside another field's code has no visible result.
                fields[-1]["is_simple"] = False
            fields.append({"code": [], "marks": [], "has_result": False, "is_simple": True})
        elif told is not None:
            simple.append((told, mark))
        elif end is not None and simple:
            code, opening = simple.pop()
            cut += [opening.span(), mark.span()] if is_kept(code, content[opening.end() : mark.start()], known) else []
        if not fields or told is not None or end is not None:
            continue
        field = fields[-1]
        field["marks"].append(mark.span())
        field["code"].append(code or b"")
        if kind == b"separate":
            field["has_result"] = True
            field["result"] = mark.end()
        if kind != b"end":
            continue
        fields.pop()
        whole = b"".join(field["code"])
        if field["has_result"]:
            cut += marks_of(field, whole, content, known)
        elif EMPTY.match(whole):
            left.add("fields")
    parts, at = [], 0
    for start, end in sorted(cut):
        parts.append(content[at:start])
        at = max(at, end)
    return b"".join(parts) + content[at:]


def first(pattern, attributes):
    found = pattern.search(attributes or b"")
    return found and found[1]


def marks_of(field, code, content, known):
    """What to take out to leave the result; nothing if the office has such a field. It has none whose code has another inside."""
    marks = field["marks"]
    if field["is_simple"]:
        return marks if is_kept(code, content[field["result"] : marks[-1][0]], known) else []
    if LINK.match(code):
        return []
    return [found.span() for found in INSIDE.finditer(content, marks[0][0], field["result"])] + marks[-1:]


def is_kept(code, result, known):
    if KEPT.match(code) or known.is_fixed and FIXED.match(code):
        return True
    name = OF_PROPERTY.get(code.split()[0].upper()) if code.strip() else None
    if name is not None:
        return b"".join(TEXT.findall(result)).decode("utf-8", "replace") != known.properties.get(name, "")
    place = PLACE.match(code)
    return place is not None and place[1].lower() not in known.places


def properties_of(package):
    """As the XML writes them, with its entities."""
    try:
        root = ElementTree.fromstring(package.read(related(package, "", "core-properties")))
    except DAMAGED:
        return {}
    return {local(each.tag): escape(each.text or "") for each in root}


def word_parts(package, is_fixed, left):
    parts = {name: package.read(name) for name in package.namelist() if PART.match(name)}
    names = {name.lower() for content in parts.values() for name in NAME.findall(content)}
    if any(PARTS.search(content) for content in parts.values()):
        left.add("parts")
    known = Known(names, properties_of(package), is_fixed)
    return {name: made for name, content in parts.items() if (made := without(content, known, left)) != content}


def open_parts(package, kept):
    parts = {name: package.read(name) for name in package.namelist() if OPEN_PART.match(name)}
    return {name: made for name, content in parts.items() if (made := open_text(outside(content), kept)) != content}


def open_text(content, kept):
    """Without the marks of fields of which only the text is to stay."""
    for pattern in kept:
        content = pattern.sub(b"", content)
    return content


def readable(path, copy, is_fixed, is_for_word):
    """The path for the office to read: `copy` if the file had to be changed. And what it leaves out: "fields", "parts"."""
    left = set()
    kept = [OPEN_NAME, *([OPEN_TIME] if is_fixed else []), *([OPEN_MARK] if is_for_word else [])]
    try:
        if not zipfile.is_zipfile(path):
            with open(path, "rb") as file:
                content = file.read()
            changed = open_text(content, kept) if b"<office:document" in content[:4096] else content
            if changed == content:
                return path, left
            with open(copy, "wb") as file:
                file.write(changed)
            return copy, left
        with zipfile.ZipFile(path) as package:
            changed = open_parts(package, kept) if "content.xml" in package.namelist() else word_parts(package, is_fixed, left)
            if not changed:
                return path, left
            write_changed(package, copy, changed, 1)
        return copy, left
    except DAMAGED:
        return path, left


def tells_time(document):
    """Whether fields of a text show the day or time of the conversion."""
    if not document.supportsService("com.sun.star.text.TextDocument"):
        return False
    fields = document.getTextFields().createEnumeration()
    while fields.hasMoreElements():
        field = fields.nextElement()
        if field.supportsService("com.sun.star.text.textfield.DateTime") and not field.IsFixed:
            return True
    return False


def hide_sections(document):
    """Marks the text of hidden sections as hidden characters, because other formats have no such sections and would show it."""
    if not document.supportsService("com.sun.star.text.TextDocument"):
        return
    sections = document.getTextSections()
    for section in (sections.getByIndex(index) for index in range(sections.getCount())):
        # Without a condition, a section of a document without a window never counts as currently visible.
        if not (section.IsCurrentlyVisible if section.Condition else section.IsVisible):
            hide(section.getAnchor())
            section.IsVisible = True


def hide(text):
    for part in every(text):
        if part.supportsService("com.sun.star.text.TextTable"):
            for name in part.getCellNames():
                hide(part.getCellByName(name))
        else:
            part.CharHidden = True


# As OpenDocument and Excel write it.
FILE_NAME = re.compile(rb"text:file-name|&(?:amp;)?[FZ]", re.I)
PAGE_TEXTS = [side + "Page" + end for side in ("Left", "Right", "First") for end in ("HeaderContent", "FooterContent")]


def drop_names(document, path, is_shown):
    """Removes what shows the name of our file, and returns whether there was any. A workbook keeps it unless the target shows its pages (`is_shown`)."""
    if document.supportsService("com.sun.star.text.TextDocument"):
        fields = [field for field in every(document.getTextFields()) if field.supportsService("com.sun.star.text.textfield.FileName")]
        for field in fields:
            field.getAnchor().setString("")
        return bool(fields)
    if not is_shown or not document.supportsService("com.sun.star.sheet.SpreadsheetDocument") or not may_mention(path, FILE_NAME, TEXTS):
        return False
    styles, is_any = document.getStyleFamilies().getByName("PageStyles"), False
    for style in (styles.getByIndex(index) for index in range(styles.getCount())):
        for name in PAGE_TEXTS:
            content = getattr(style, name, None)
            texts = (content.LeftText, content.CenterText, content.RightText) if content else ()
            # Only a name of a file has this property here.
            found = [(text, field) for text in texts for field in every(text.getTextFields()) if hasattr(field, "FileFormat")]
            for text, field in found:
                text.removeTextContent(field)
            if found:
                setattr(style, name, content)
                is_any = True
    return is_any


def every(fields):
    """In a list, as they are removed."""
    found, each = [], fields.createEnumeration()
    while each.hasMoreElements():
        found.append(each.nextElement())
    return found


# What the office puts around a field and its result, and writes to pages as it is. HTML forbids these characters.
MARKS = re.compile(rb"[\x01\x03\x07\x08]")


def clear_marks(path):
    with open(path, "rb") as file:
        page = file.read()
    if MARKS.search(page):
        with open(path, "wb") as file:
            file.write(MARKS.sub(b"", page))
