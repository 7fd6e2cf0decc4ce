"""Writes a font with fewer characters, or unchanged. Usage: font-subset.py IN OUT CHANGES (a line of JSON: format, text, unicodes).

Exit codes: 0 done, 3 damaged or not a font, 5 has none of the characters; anything else is a failure of this program.
"""
import json
import struct
import sys

from fontTools.ttLib import TTFont, TTLibError

DAMAGED, NONE = 3, 5
FLAVORS = {"woff": "woff", "woff2": "woff2"}


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


def main(source, target, changes):
    try:
        font = TTFont(source, lazy=False, recalcTimestamp=False)
        known = set(font.getBestCmap() or {})
    except (TTLibError, struct.error, AssertionError, KeyError, IndexError, ValueError, EOFError):
        return DAMAGED
    characters = wanted(changes)
    if characters is not None:
        if not characters & known:
            return NONE
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
        try:
            subsetter.subset(font)
        except (TTLibError, struct.error, AssertionError, KeyError, IndexError):
            return DAMAGED
    font.flavor = FLAVORS.get(changes["format"])
    font.save(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
