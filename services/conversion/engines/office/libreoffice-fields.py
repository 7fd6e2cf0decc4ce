"""Word stores the last result of each field. The office recomputes some of them from data that it does not have: the file name (here
ours), save dates, conditions, and missing bookmarks. Such fields are replaced by their stored results."""
import re
import zipfile

from packages import DAMAGED, write_changed

PART = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
# Possessive, so that unterminated attributes do not cause backtracking.
MARK = re.compile(
    rb'<w:fldChar\b(?>[^<>]*?\bw:fldCharType="(begin|separate|end)")[^<>]*+(?<=/)>|<w:instrText\b[^<>]*+>([^<]*+)</w:instrText>|'
    rb'<w:fldSimple\b(?>[^<>]*?\bw:instr="([^"<]*+)")[^<>]*+(?<!/)>|(</w:fldSimple>)'
)
KEPT = re.compile(rb"\s*(?:FILENAME|IF|SAVEDATE|PRINTDATE|LASTSAVEDBY)\b", re.I)
PLACE = re.compile(rb'\s*(?:REF|PAGEREF|NOTEREF)\s+"?([^\s"\\]+)', re.I)
NAME = re.compile(rb'<w:bookmarkStart\b[^<>]*\bw:name="([^"]*)"')


def without(content, names):
    """The part without the codes of such fields; their results stay."""
    cut, fields, simple = [], [], []
    for mark in MARK.finditer(content):
        kind, code, told, end = mark.groups()
        if kind == b"begin":
            if fields and not fields[-1]["has_result"]:
                # A field inside another field's code has no visible result.
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


def readable(path, copy):
    """The path that the office reads: `copy` if the file had to be changed."""
    try:
        with zipfile.ZipFile(path) as package:
            parts = {name: package.read(name) for name in package.namelist() if PART.match(name)}
            names = {name.lower() for content in parts.values() for name in NAME.findall(content)}
            changed = {name: made for name, content in parts.items() if (made := without(content, names)) != content}
            if not changed:
                return path
            write_changed(package, copy, changed, 1)
        return copy
    except DAMAGED:
        return path
