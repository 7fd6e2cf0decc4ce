"""Prepares Excel 2003 XML for the office, which reads booleans and errors as empty cells, drops underlined,
struck and raised text, shows hidden sheets, and counts days before March 1900 unlike Excel."""
import contextlib
import datetime
from xml.etree import ElementTree

EXCEL = "{urn:schemas-microsoft-com:office:excel}"
SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
HTML = "{http://www.w3.org/TR/REC-html40}"
DROPPED = {HTML + name for name in ("U", "S", "Sub", "Sup")}
ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#N/A"}
# The office has no 29 February 1900, so that its days before it are one later.
FIRST_SAME = "1900-03-01"


def adapt(cell, data):
    kind, text = data.get(SHEET + "Type"), "".join(data.itertext()).strip()
    has_formula = cell.get(SHEET + "Formula") is not None
    if kind == "Boolean" and not has_formula:
        cell.set(SHEET + "Formula", "=TRUE()" if text in ("1", "true") else "=FALSE()")
    elif kind == "Error" and not has_formula:
        if text in ERRORS:
            cell.set(SHEET + "Formula", "=" + text)
        else:
            data.set(SHEET + "Type", "String")
    elif kind == "DateTime" and text < FIRST_SAME:
        # An empty one is no date, and before the first day of all there is none.
        with contextlib.suppress(ValueError, OverflowError):
            data.text = (datetime.datetime.fromisoformat(text) - datetime.timedelta(days=1)).isoformat(timespec="milliseconds")
    elif kind == "String":
        for part in data.iter():
            if part.tag in DROPPED:
                part.tag = HTML + "Font"


def readable(path, copy):
    """The path for the office to read; the names of hidden sheets; and whether cells have comments or links, which the office does not read."""
    try:
        tree = ElementTree.parse(path)
        has_more = False
        for cell in tree.iter(SHEET + "Cell"):
            has_more = has_more or cell.get(SHEET + "HRef") is not None or cell.find(SHEET + "Comment") is not None
            data = cell.find(SHEET + "Data")
            if data is not None:
                adapt(cell, data)
        tree.write(copy, encoding="UTF-8", xml_declaration=True)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        return path, [], False
    hidden = [sheet.get(SHEET + "Name", "") for sheet in tree.iter(SHEET + "Worksheet") if is_hidden(sheet)]
    return copy, hidden, has_more


def is_hidden(sheet):
    return sheet.findtext(f"{EXCEL}WorksheetOptions/{EXCEL}Visible", "").strip() in ("SheetHidden", "SheetVeryHidden")
