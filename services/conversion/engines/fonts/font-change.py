"""Writes a font with fewer characters, in another format, or unchanged. Usage: font-change.py IN OUT CHANGES (a line of JSON: format, text, unicodes).

Of a collection, the first font is written. Prints a line of JSON: what the result lacks. Whatever does not depend on the outlines' kind is copied as it is.
Exit codes: 0 done, 3 damaged or not a font, 4 no outlines to convert, 5 has none of the characters; anything else is a failure of this program.
"""
import json
import struct
import sys

from fontTools.ttLib import TTFont, TTLibError, newTable

DAMAGED, DRAWS_NOTHING, NONE = 3, 4, 5
FLAVORS = {"woff": "woff", "woff2": "woff2"}
# Each takes the time of reading the whole list of fonts.
MOST_NAMES = 12
ERRORS = (TTLibError, struct.error, AssertionError, KeyError, IndexError, ValueError, EOFError)
INSTRUCTIONS = ("fpgm", "prep", "cvt ", "cvar", "hdmx", "VDMX", "LTSH")
VARIATIONS = ("fvar", "avar", "gvar", "cvar", "HVAR", "VVAR", "MVAR", "STAT")
# Limits of instructions and composed glyphs, which converted outlines do not have.
LIMITS = "maxTwilightPoints maxStorage maxFunctionDefs maxInstructionDefs maxStackElements maxSizeOfInstructions maxComponentElements".split()
POST = "italicAngle underlinePosition underlineThickness isFixedPitch minMemType42 maxMemType42 minMemType1 maxMemType1".split()
# Largest distance between the curves, for a font of 1000 units per em.
TOLERANCE = 1


def wanted(changes):
    """The requested code points; None for all."""
    if "text" not in changes and "unicodes" not in changes:
        return None
    found = {ord(letter) for letter in changes.get("text", "")}
    for piece in changes.get("unicodes", "").upper().replace("U+", "").split(","):
        first, _, last = piece.partition("-")
        if first:
            found |= set(range(int(first, 16), min(int(last or first, 16), 0x10FFFF) + 1))
    return found


def opened(source, target):
    """The first font, and how many others are in a collection, with the first names."""
    font = TTFont(source, fontNumber=0, lazy=False, recalcBBoxes=False, recalcTimestamp=False)
    if target == "otf" and "glyf" in font and (names := font.getGlyphOrder())[:1] != [".notdef"]:
        # What CFF calls the first glyph; before any table is read that goes by names.
        font.setGlyphOrder([".notdef", *(f"{name}.drawn" if name == ".notdef" else name for name in names[1:])])
    count = getattr(font.reader, "numFonts", 1) - 1
    return font, {"count": count, "names": [name_of(source, at) for at in range(1, 1 + min(count, MOST_NAMES))]}


def name_of(source, at):
    """Of a font in a collection. Whether it is damaged does not matter to the first one."""
    try:
        font = TTFont(source, fontNumber=at, lazy=True)
        return ("name" in font and font["name"].getDebugName(4) or "without a name")[:100]
    except ERRORS:
        return "without a name"


def subset(font, characters):
    # Imported late: it takes twice as long to load as everything else, and is not always needed.
    from fontTools import subset

    options = subset.Options()
    options.layout_features = ["*"]
    options.name_IDs, options.name_languages, options.name_legacy = ["*"], ["*"], True
    options.glyph_names = options.legacy_cmap = options.symbol_cmap = options.notdef_outline = True
    options.drop_tables = []
    options.passthrough_tables = True
    options.ignore_missing_unicodes = True
    options.recalc_timestamp = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)


def convert_outlines(font, target):
    """Converts the outlines unless they are of the target's kind already. Returns what is lost."""
    is_quadratic = "glyf" in font
    is_drawn = is_quadratic or "CFF " in font or "CFF2" in font
    if target not in ("ttf", "otf") or not is_drawn or is_quadratic == (target == "ttf"):
        return []
    lost = ["hinting"] if (has_instructions if is_quadratic else has_hints)(font) else []
    axes = font["fvar"].axes if "fvar" in font else []
    if axes:
        lost.append(f"variations ({', '.join(axis.axisTag for axis in axes)})")
        if is_quadratic:
            from fontTools.varLib import instancer

            instancer.instantiateVariableFont(font, {axis.axisTag: axis.defaultValue for axis in axes}, inplace=True)
    if is_quadratic:
        to_cubic(font)
    else:
        to_quadratic(font)
    for tag in (*INSTRUCTIONS, *(VARIATIONS if axes else ())):
        if tag in font:
            del font[tag]
    return lost


def has_instructions(font):
    return any(tag in font for tag in INSTRUCTIONS) or any(getattr(font["glyf"][name], "program", None) for name in font.getGlyphOrder())


def has_hints(font):
    """Private values of hinting; glyphs seldom have hints without them."""
    top = font["CFF2" if "CFF2" in font else "CFF "].cff.topDictIndex[0]
    privates = [each.Private for each in top.FDArray] if hasattr(top, "FDArray") else [top.Private]
    return any(getattr(private, name, None) for private in privates for name in ("BlueValues", "StdHW", "StdVW"))


def to_cubic(font):
    """Every quadratic curve is exactly a cubic one, apart from rounding."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.t2CharStringPen import T2CharStringPen

    glyphs, strings = font.getGlyphSet(), {}
    for name in font.getGlyphOrder():
        pen = T2CharStringPen(font["hmtx"][name][0], glyphs)
        glyphs[name].draw(pen)
        strings[name] = pen.getCharString()
    del font["glyf"], font["loca"]
    # Fonts from PDFs lack the names and much else.
    said = font["name"].getDebugName if "name" in font else lambda _: None
    more = {"FullName": said(4), "FamilyName": said(1), "Notice": said(0)}
    # Here, texts have few characters. Their table keeps them.
    more = {key: value for key, value in more.items() if value is not None and value.isascii()}
    if "post" not in font:
        font["post"] = newTable("post")
        for field in POST:
            setattr(font["post"], field, 0)
    post = font["post"]
    head = font["head"]
    scale = 1 / head.unitsPerEm
    # Measuring every glyph again takes half of the time.
    more |= {"FontMatrix": [scale, 0, 0, scale, 0, 0], "FontBBox": [head.xMin, head.yMin, head.xMax, head.yMax]}
    more |= {"ItalicAngle": post.italicAngle, "isFixedPitch": bool(post.isFixedPitch)}
    FontBuilder(font=font).setupCFF(said(6) or "Untitled", more, strings, {})
    font.sfntVersion, post.formatType = "OTTO", 3
    limits, count = newTable("maxp"), font["maxp"].numGlyphs
    limits.tableVersion, limits.numGlyphs = 0x5000, count
    font["maxp"] = limits


def to_quadratic(font):
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    glyphs, drawn = font.getGlyphSet(), {}
    tolerance = TOLERANCE * font["head"].unitsPerEm / 1000
    order, font.recalcBBoxes = font.getGlyphOrder(), True
    for name in order:
        pen = TTGlyphPen(glyphs)
        # The two kinds of outlines run in opposite directions.
        glyphs[name].draw(Cu2QuPen(pen, tolerance, reverse_direction=True))
        drawn[name] = pen.glyph()
    for tag in ("CFF ", "CFF2", "VORG"):
        if tag in font:
            del font[tag]
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = order, drawn
    metrics = font["hmtx"].metrics
    for name in order:
        drawn[name].recalcBounds(font["glyf"])
        metrics[name] = (metrics[name][0], getattr(drawn[name], "xMin", 0))
    limits = font["maxp"]
    limits.tableVersion, limits.maxZones = 0x10000, 1
    for field in LIMITS:
        setattr(limits, field, 0)
    post = font["post"]
    post.formatType, post.extraNames, post.mapping = 2, [], {}
    font.sfntVersion = "\0\1\0\0"


def forget(font, target):
    """Removes what a rewritten font cannot keep. Returns whether it had metadata and signatures."""
    about = font.flavorData
    has_metadata = target not in FLAVORS and about is not None and bool(about.metaData or about.privData)
    is_signed = "DSIG" in font and getattr(font["DSIG"], "usNumSigs", 0) > 0
    if "DSIG" in font:
        del font["DSIG"]
    return has_metadata, is_signed


def main(source, target, changes):
    try:
        font, others = opened(source, changes["format"])
        known = set(font.getBestCmap() or {})
    except ERRORS:
        return DAMAGED
    if "head" in font and getattr(font["head"], "glyphDataFormat", 0) != 0:
        raise NotImplementedError("outlines of a later version")
    characters = wanted(changes)
    if characters is not None and not characters & known:
        return NONE
    made = changes["format"]
    # Fonts of coloured bitmaps.
    is_other = made in ("ttf", "otf") and (made == "otf") != (font.sfntVersion == "OTTO")
    if is_other and not any(tag in font for tag in ("glyf", "CFF ", "CFF2")):
        return DRAWS_NOTHING
    try:
        if characters is not None:
            font.recalcBBoxes = True
            subset(font, characters)
        lost = convert_outlines(font, made)
    except ERRORS as error:
        if "unsupported" in str(error):
            raise
        return DAMAGED
    has_metadata, is_signed = forget(font, made)
    font.flavor = FLAVORS.get(made)
    font.save(target)
    print(json.dumps({"lost": lost, "others": others, "hasMetadata": has_metadata, "isSigned": is_signed}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
