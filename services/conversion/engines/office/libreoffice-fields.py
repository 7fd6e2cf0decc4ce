"""Word keeps the last result of each field. The office computes some anew, from what it does not have: the file's name, which is
ours here (also in an OpenDocument), dates of saving, conditions, and places that the document no longer names. Those fields become their results."""
import re
import zipfile

from packages import DAMAGED, write_changed

PART = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
# Possessive, so that attributes without an end are not read again and again.
MARK = re.compile(
    rb'<w:fldChar\b(?>[^<>]*?\bw:fldCharType="(begin|separate|end)")[^<>]*+(?:(?<=/)>|></w:fldChar>)|<w:instrText\b[^<>]*+>([^<]*+)</w:instrText>|'
    rb'<w:fldSimple\b(?>[^<>]*?\bw:instr="([^"<]*+)")[^<>]*+(?<!/)>|(</w:fldSimple>)'
)
KEPT = re.compile(rb"\s*(?:FILENAME|IF|SAVEDATE|PRINTDATE|LASTSAVEDBY)\b", re.I)
PLACE = re.compile(rb'\s*(?:REF|PAGEREF|NOTEREF)\s+"?([^\s"\\]+)', re.I)
NAME = re.compile(rb'<w:bookmarkStart\b[^<>]*\bw:name="([^"]*)"')


def without(content, names):
    """The part without the marks of such fields; their results stay."""
    cut, fields, simple = [], [], []
    for mark in MARK.finditer(content):
        kind, code, told, end = mark.groups()
        if kind == b"begin":
            if fields and not fields[-1]["has_result"]:
                # The result of a field in the code of another is no text.
                fields[-1]["is_simple"] = False
            fields.append({"code": [], "marks": [], "has_result": False, "is_simple": True})
        elif told is not None:
            simple.append([mark.span()] if is_kept(told, names) else [])
        elif end is not None and simple and (opening := simple.pop()):
            cut += [*opening, mark.span()]
        if not fields or told is not None or end is not None:
            continue
        field = fields[-1]
        field["marks"].append(mark.span())
        field["code"].append(code or b"")
        field["has_result"] |= kind == b"separate"
        if kind == b"end" and fields.pop()["is_simple"] and field["has_result"] and is_kept(b"".join(field["code"]), names):
            cut += field["marks"]
    parts, at = [], 0
    for start, end in sorted(cut):
        parts.append(content[at:start])
        at = end
    return b"".join(parts) + content[at:]


def is_kept(code, names):
    place = PLACE.match(code)
    return KEPT.match(code) is not None or place is not None and place[1].lower() not in names


# The office computes it anew as well.
FILE_NAME = re.compile(rb"<text:file-name\b[^<>]*+(?:(?<=/)>|>([^<]*+)</text:file-name>)")
OPEN_PART = re.compile(r"(content|styles)\.xml$")


def shown_name(content):
    """The OpenDocument with the text that its fields show for the name of the file."""
    return FILE_NAME.sub(lambda field: field[1] or b"", content)


def readable(path, copy):
    """The path for the office to read: `copy` if the file had to be changed."""
    try:
        if not zipfile.is_zipfile(path):
            with open(path, "rb") as file:
                content = file.read()
            changed = shown_name(content) if b"<office:document" in content[:4096] else content
            if changed == content:
                return path
            with open(copy, "wb") as file:
                file.write(changed)
            return copy
        with zipfile.ZipFile(path) as package:
            parts = {name: package.read(name) for name in package.namelist() if PART.match(name) or OPEN_PART.match(name)}
            names = {name.lower() for content in parts.values() for name in NAME.findall(content)}
            changed = {name: made for name, content in parts.items() if (made := without(content, names) if PART.match(name) else shown_name(content)) != content}
            if not changed:
                return path
            write_changed(package, copy, changed, 1)
        return copy
    except DAMAGED:
        return path


PAGE_TEXTS = [side + "Page" + end for side in ("Left", "Right", "First") for end in ("HeaderContent", "FooterContent")]


def drop_names(document, is_shown):
    """Removes what shows the name of our file, and returns whether there was any. A workbook keeps it unless the target shows its pages (`is_shown`)."""
    if document.supportsService("com.sun.star.text.TextDocument"):
        fields = [field for field in every(document.getTextFields()) if field.supportsService("com.sun.star.text.textfield.FileName")]
        for field in fields:
            field.getAnchor().setString("")
        return bool(fields)
    if not is_shown or not document.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
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
