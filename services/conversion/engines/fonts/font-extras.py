"""Lists what a font has besides outlines. Usage: font-extras.py FORMAT FILE; prints a line of JSON. What is not readable counts as missing."""
import json
import plistlib
import re
import struct
import sys
import zipfile

CONTAINERS = ("ttf", "otf", "woff", "woff2", "dfont")
TABLES = {"colours": ("COLR", "CBDT", "sbix", "SVG "), "bitmaps": ("EBDT", "bdat"), "mathematics": ("MATH",)}
TRUETYPE, POSTSCRIPT = "TrueType", "PostScript"
# By their numbers in the name table.
TEXTS = {7: "trademark", 8: "manufacturer", 9: "designer", 10: "description", 11: "manufacturer's address", 12: "designer's address", 13: "license", 14: "address of the license"}
UFO_TEXTS = "trademark openTypeNameManufacturer openTypeNameDesigner openTypeNameDescription openTypeNameManufacturerURL openTypeNameDesignerURL openTypeNameLicense openTypeNameLicenseURL".split()
ENGLISH = 0x409
LONGEST = 64 * 2**20


def nothing():
    sets = {key: set() for key in ("features", "axes", "hinting", "languages", "texts")}
    return {**sets, **{key: False for key in TABLES}, "fonts": 1, "outlines": "readable"}


def tags_of(table):
    """The tags in the list of features of GSUB or GPOS."""
    (start,) = struct.unpack_from(">H", table, 6)
    (count,) = struct.unpack_from(">H", table, start)
    return {table[start + 2 + 6 * at : start + 6 + 6 * at].decode("latin-1").strip() for at in range(count)}


def of_container(path, is_suitcase):
    from fontTools.ttLib import TTFont, macUtils

    found = nothing()
    if is_suitcase:
        found["fonts"] = len(macUtils.getSFNTResIndices(path))
    font = TTFont(path, res_name_or_index=0 if is_suitcase else None, fontNumber=0, lazy=True)
    found["fonts"] = max(found["fonts"], getattr(font.reader, "numFonts", 1))
    for tag in ("GSUB", "GPOS"):
        if tag in font:
            found["features"] |= tags_of(font.getTableData(tag))
    if "kern" in font:
        found["features"].add("kern")
    if "fvar" in font:
        found["axes"] = {axis.axisTag for axis in font["fvar"].axes}
    if any(tag in font for tag in ("fpgm", "prep", "cvt ")):
        found["hinting"].add(TRUETYPE)
    if "CFF " in font and hasattr(top := font["CFF "].cff.topDictIndex[0], "Private") and getattr(top.Private, "BlueValues", None):
        found["hinting"].add(POSTSCRIPT)
    for name in font["name"].names if "name" in font else []:
        if name.platformID == 3 and name.langID != ENGLISH:
            found["languages"].add(str(name.langID))
        if name.nameID in TEXTS and str(name):
            found["texts"].add(TEXTS[name.nameID])
    if not any(tag in font for tag in ("glyf", "CFF ")):
        found["outlines"] = "variable" if "CFF2" in font else "none"
    return {**found, **{key: any(tag in font for tag in tables) for key, tables in TABLES.items()}}


def of_project(text):
    found = nothing()
    for line in re.findall(r"^Lookup: .*$", text, re.MULTILINE):
        found["features"] |= {tag.strip() for tag in re.findall(r"'(.{4})' \('", line)}
    for language, names in re.findall(r"^LangName: (\d+) (.*)$", text, re.MULTILINE):
        if int(language) != ENGLISH:
            found["languages"].add(language)
        found["texts"] |= {TEXTS[at] for at, name in enumerate(re.findall(r'"([^"]*)"', names)) if name and at in TEXTS}
    marks = {TRUETYPE: r"^TtTable: ", POSTSCRIPT: r"^BlueValues "}
    found["hinting"] = {kind for kind, mark in marks.items() if re.search(mark, text, re.MULTILINE)}
    found["bitmaps"] = re.search(r"^BitmapFont: ", text, re.MULTILINE) is not None
    found["mathematics"] = re.search(r"^MATH:", text, re.MULTILINE) is not None
    return found


def of_folder(path):
    found = nothing()
    with zipfile.ZipFile(path) as folder:
        names = {name.rsplit("/", 1)[-1]: name for name in folder.namelist() if name.count("/") < 2}

        def content(name):
            return folder.open(names[name]).read(LONGEST) if name in names else b""

        found["features"] = set(re.findall(r"^\s*feature\s+(\w{1,4})\b", content("features.fea").decode("utf-8", "replace"), re.MULTILINE))
        kerning, info = (plistlib.loads(content(name) or b"<plist><dict/></plist>") for name in ("kerning.plist", "fontinfo.plist"))
    if kerning:
        found["features"].add("kern")
    if info.get("postscriptBlueValues"):
        found["hinting"].add(POSTSCRIPT)
    found["texts"] = {text for key, text in zip(UFO_TEXTS, TEXTS.values()) if info.get(key)}
    found["languages"] = {str(each.get("languageID")) for each in info.get("openTypeNameRecords", []) if each.get("languageID") != ENGLISH}
    return found


def of_drawing(text):
    found = nothing()
    if re.search(r"<(?:\w+:)?[hv]kern\b", text):
        found["features"].add("kern")
    if re.search(r"<(?:\w+:)?glyph\b[^>]*\bunicode=\"(?:[^\"&]|&[^;\"]{1,9};){2,9}\"", text):
        found["features"].add("liga")
    return found


def of_type_one(path, is_binary):
    from fontTools import t1Lib

    found = nothing()
    if b"/BlueValues" in t1Lib.decryptType1((t1Lib.readPFB if is_binary else t1Lib.readOther)(path)):
        found["hinting"].add(POSTSCRIPT)
    return found


def main(kind, path):
    try:
        if kind in CONTAINERS:
            return of_container(path, kind == "dfont")
        if kind == "ufo":
            return of_folder(path)
        if kind in ("pfb", "pfa"):
            return of_type_one(path, kind == "pfb")
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST)
        if kind == "t42":
            # The name of a table, in hexadecimal.
            return {**nothing(), "hinting": {TRUETYPE} if "70726570" in text.replace("\n", "") else set()}
        return (of_project if kind == "sfd" else of_drawing)(text)
    # Every reader has errors of its own, and FontForge decides what is damaged.
    except Exception:
        return nothing()


print(json.dumps(main(sys.argv[1], sys.argv[2]), default=sorted))
