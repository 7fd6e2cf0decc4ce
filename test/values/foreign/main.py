"""Reads and writes files for the property tests of values: one JSON question per line, one answer."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import archives
import calendars
import cards
import maps
import subtitles
import tables
import trees

TABLES = {"csv", "tsv", "psv", "semicolons", "sqlite", "xlsx", "xls", "ods", "fods", "avro"}
SUBTITLES = {"srt", "vtt", "ass", "ssa", "ttml", "smi", "sub", "sbv", "lrc"}
LIBRARIES = ((tables, TABLES), (subtitles, SUBTITLES), (archives, archives.KINDS), (cards, cards.KINDS), (calendars, calendars.KINDS), (maps, maps.KINDS))


def answer(question):
    kind, path = question["kind"], question["path"]
    library = next((each for each, kinds in LIBRARIES if kind in kinds), trees)
    if "value" in question:
        library.write(kind, question["value"], path)
        return None
    return library.read(kind, path)


for line in sys.stdin:
    try:
        print(json.dumps({"said": answer(json.loads(line))}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:500]}), flush=True)
