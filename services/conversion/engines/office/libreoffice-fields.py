"""Word keeps the last result of each field. The office computes some anew, from what it does not have: the file's name, which is
ours here, dates of saving, conditions, and places that the document no longer names. Those fields become their results."""
import re
import shutil
import zipfile
import zlib

PART = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
MARK = re.compile(
    rb'<w:fldChar\b[^<>]*\bw:fldCharType="(begin|separate|end)"[^<>]*/>|<w:instrText\b[^<>]*>([^<]*)</w:instrText>|'
    rb'<w:fldSimple\b[^<>]*\bw:instr="([^"]*)"[^<>]*(?<!/)>|(</w:fldSimple>)'
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
            fields.append({"code": b"", "marks": [], "has_result": False, "is_simple": True})
        elif told is not None:
            simple.append([mark.span()] if is_kept(told, names) else [])
        elif end is not None and simple and (opening := simple.pop()):
            cut += [*opening, mark.span()]
        if not fields or told is not None or end is not None:
            continue
        field = fields[-1]
        field["marks"].append(mark.span())
        field["code"] += code or b""
        field["has_result"] |= kind == b"separate"
        if kind == b"end" and fields.pop()["is_simple"] and field["has_result"] and is_kept(field["code"], names):
            cut += field["marks"]
    parts, at = [], 0
    for start, end in sorted(cut):
        parts.append(content[at:start])
        at = end
    return b"".join(parts) + content[at:]


def is_kept(code, names):
    place = PLACE.match(code)
    return KEPT.match(code) is not None or place is not None and place[1].lower() not in names


def readable(path, copy):
    """The path for the office to read: `copy` if the file had to be changed."""
    try:
        with zipfile.ZipFile(path) as package:
            parts = {name: package.read(name) for name in package.namelist() if PART.match(name)}
            names = {name.lower() for content in parts.values() for name in NAME.findall(content)}
            changed = {name: made for name, content in parts.items() if (made := without(content, names)) != content}
            if not changed:
                return path
            with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
                for member in package.infolist():
                    if member.filename in changed:
                        written.writestr(member.filename, changed[member.filename])
                    else:
                        with package.open(member) as given, written.open(member, "w") as kept:
                            shutil.copyfileobj(given, kept)
        return copy
    except (EOFError, KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error):
        # The office reports what is wrong with it.
        return path
