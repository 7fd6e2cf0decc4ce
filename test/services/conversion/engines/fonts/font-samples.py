"""Writes a font with more than outlines, as real fonts have, or lists its contents. Usage: font-samples.py write KIND PATH | read PATH."""
import json
import sys

from fontTools.colorLib.builder import buildCOLR, buildCPAL
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont, newTable
from fontTools.ttLib.sfnt import WOFFFlavorData
from fontTools.ttLib.tables import ttProgram
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from fontTools.ttLib.tables.TupleVariation import TupleVariation

NAMES = [".notdef", "T", "A", "o", "o.alt"]


def draw(pen, at):
    pen.moveTo((50, 0))
    pen.lineTo((50, 700))
    pen.lineTo((400 + 10 * at, 700))
    pen.lineTo((400 + 10 * at, 0))
    pen.closePath()
    return pen


def plain(is_cubic):
    builder = FontBuilder(1000, isTTF=not is_cubic)
    builder.setupGlyphOrder(NAMES)
    builder.setupCharacterMap({ord(name): name for name in ("T", "A", "o")})
    if is_cubic:
        strings = {name: draw(T2CharStringPen(600, None), at).getCharString() for at, name in enumerate(NAMES)}
        builder.setupCFF("Numbat-Regular", {}, strings, {"BlueValues": [0, 0, 700, 700]})
    else:
        builder.setupGlyf({name: draw(TTGlyphPen(None), at).glyph() for at, name in enumerate(NAMES)})
    builder.setupHorizontalMetrics({name: (600 + at, 50) for at, name in enumerate(NAMES)})
    builder.setupHorizontalHeader(ascent=950, descent=-250)
    builder.setupNameTable({"familyName": {"en": "Numbat", "ja": "フクロアリクイ"}, "styleName": "Regular", "psName": "Numbat-Regular"})
    # Must not be embedded.
    builder.setupOS2(fsType=2, usWeightClass=400, achVendID="QUOK")
    builder.setupPost(underlinePosition=-123)
    addOpenTypeFeaturesFromString(builder.font, "feature salt { sub o by o.alt; } salt; feature kern { pos T o -80; } kern;")
    return builder


def write(kind, path):
    builder = plain("cubic" in kind)
    font = builder.font
    if "variable" in kind:
        builder.setupFvar([("wght", 100, 400, 900, "Weight")], [])
        wider = [(0, 0), (0, 0), (100, 0), (100, 0), (0, 0), (100, 0), (0, 0), (0, 0)]
        builder.setupGvar({name: [TupleVariation({"wght": (0, 1, 1)}, wider)] for name in NAMES})
    if "colour" in kind:
        font["COLR"], font["CPAL"] = buildCOLR({"A": [("T", 0), ("o", 1)]}), buildCPAL([[(1, 0, 0, 1), (0, 0, 1, 0.5)]])
    if "hinted" in kind:
        font["prep"] = newTable("prep")
        font["prep"].program = ttProgram.Program()
        font["prep"].program.fromAssembly(["PUSHW[ ]", "511", "SCANCTRL[ ]"])
    if "signed" in kind:
        font["DSIG"] = DefaultTable("DSIG")
        font["DSIG"].data = bytes.fromhex("00000001 0001 0000 00000001 0000000c 00000014 0000 0000 00000004 01020304")
    if "composed" in kind:
        # T over A, by their codes.
        font["CFF "].cff[0].CharStrings["o"] = T2CharString(program=[5, 9, 65, 84, "endchar"], private=font["CFF "].cff[0].Private)
    if "quoted" in kind:
        font["name"].setName("A trademark of ‘Quokka’", 0, 3, 1, 0x409)
    if "unnamed-first" in kind:
        # Renamed in the table of names alone, as in fonts whose first glyph is a letter.
        font["post"].formatType, font["post"].extraNames, font["post"].mapping = 2, [], {}
        order = ["first" if name == ".notdef" else name for name in NAMES]
        font["glyf"].glyphs = {new: font["glyf"].glyphs[old] for old, new in zip(NAMES, order)}
        font["hmtx"].metrics = {new: font["hmtx"].metrics[old] for old, new in zip(NAMES, order)}
        font["glyf"].glyphOrder = order
        font.setGlyphOrder(order)
    if "second" in kind:
        # The second version of these outlines, which variable fonts use.
        del font["CFF "]
        builder.setupCFF2({name: draw(T2CharStringPen(None, None, CFF2=True), at).getCharString() for at, name in enumerate(NAMES)})
    if "later" in kind:
        font["head"].glyphDataFormat = 1
    for tag in (("name", "post") if "extracted" in kind else ("glyf", "loca") if "undrawn" in kind else ()):
        del font[tag]
    private = DefaultTable("QUOK")
    private.data = b"private"
    font["QUOK"] = private
    font.flavor = next((each for each in ("woff2", "woff") if path.endswith(each)), None)
    if "described" in kind:
        font.flavorData = WOFFFlavorData()
        font.flavorData.majorVersion, font.flavorData.minorVersion = 1, 0
        font.flavorData.metaData = b'<metadata version="1.0"><vendor name="Quokka"/></metadata>'
    if "several" in kind:
        collection, other = TTCollection(), plain("cubic" in kind)
        other.setupNameTable({"fullName": "Bilby"})
        collection.fonts = [font, *[other.font] * (20 if "crowd" in kind else 1)]
        collection.save(path)
        if "damaged" in kind:
            with open(path, "r+b") as file:
                # The place of the second font.
                file.seek(16)
                file.write(b"\xff\xff\xff\x00")
    else:
        font.save(path)


def read(path):
    font = TTFont(path)
    glyphs, outlines = font.getGlyphSet(), {}
    for name in font.getGlyphOrder():
        pen = DecomposingRecordingPen(glyphs)
        glyphs[name].draw(pen)
        outlines[name] = sorted({point for _, points in pen.value for point in points if point is not None})
    return {
        "kind": font.sfntVersion,
        "tables": sorted(tag.strip() for tag in font.keys() if tag != "GlyphOrder"),
        "order": font.getGlyphOrder(),
        "outlines": outlines,
        "widths": {name: width for name, (width, _) in font["hmtx"].metrics.items()},
        "names": sorted({str(each) for each in font["name"].names}) if "name" in font else [],
        "features": [record.FeatureTag for each in ("GSUB", "GPOS") for record in font[each].table.FeatureList.FeatureRecord],
        "axes": [axis.axisTag for axis in font["fvar"].axes] if "fvar" in font else [],
        "permissions": font["OS/2"].fsType,
        "underline": font["post"].underlinePosition if "post" in font else 0,
        "metadata": getattr(font.flavorData, "metaData", None) is not None,
    }


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3])
    else:
        print(json.dumps(read(sys.argv[2])))
