"""Writes a sheet as text: the values of its cells rather than their formatting. Dates and times are in ISO 8601."""
import re
from datetime import datetime, timedelta
from decimal import Decimal

# @see com.sun.star.util.NumberFormat
DATE, TIME, LOGICAL = 2, 4, 1024
# Ours: shown with leading zeros, a postal code or part number rather than a number.
CODE = 1 << 20
# Numbers, dates, text and formulas. @see com.sun.star.sheet.CellFlags
CONTENT = 23
ROWS_AT_ONCE = 1000


def write(document, sheet, path, separator, quotes_text):
    """Writes all rows up to the last non-empty one, with equal width."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        for texts in rows_of(document, sheet):
            file.write(separator.join(quoted(text, separator, quotes_text and kind is str and text != "") for text, kind in texts) + "\n")


def write_plain(document, sheet, path):
    """The same for the office to read, which must recognise only dates and numbers of up to
    15 digits. Returns the formats of date columns, and whether other values became text."""
    days, others = set(), set()
    for row, texts in enumerate(rows_of(document, sheet)):
        for column, (text, kind) in enumerate(texts):
            if kind is DATE and "T" not in text:
                days.add(column)
            elif kind not in (None, str) or row > 0 and (kind is None or text != ""):
                others.add(column)
    days -= others
    has_texts = False
    with open(path, "w", encoding="utf-8", newline="") as file:
        for texts in rows_of(document, sheet):
            cells = []
            for column, (text, kind) in enumerate(texts):
                is_word = text != "" and (kind is not None or digits_of(text) > 15) and not (kind is DATE and column in days)
                has_texts |= is_word and kind is not str
                cells.append(quoted(text, ",", is_word))
            file.write(",".join(cells) + "\n")
    # As year, month and day.
    return "/".join(f"{column + 1}/5" for column in sorted(days)), has_texts


def digits_of(number):
    return len(number.translate(str.maketrans("", "", "-.")).strip("0"))


def rows_of(document, sheet):
    """The text of each row's cells with its kind: None for a number, `str` for text, otherwise that of its format."""
    areas = sheet.queryContentCells(CONTENT).getRangeAddresses()
    rows = max((area.EndRow for area in areas), default=-1) + 1
    columns = max((area.EndColumn for area in areas), default=-1) + 1
    kinds = special(document, sheet, rows, columns)
    null = document.NullDate
    epoch = datetime(null.Year, null.Month, null.Day)
    for start in range(0, rows, ROWS_AT_ONCE):
        cells = sheet.getCellRangeByPosition(0, start, columns - 1, min(start + ROWS_AT_ONCE, rows) - 1)
        for row, values in enumerate(cells.getDataArray(), start):
            texts = []
            for column, value in enumerate(values):
                kind = kinds.get(column, {}).get(row, 0)
                if isinstance(value, float) and not (kind == CODE and value.is_integer()):
                    texts.append((text_of(value, kind, epoch), next((each for each in (LOGICAL, DATE, TIME) if kind & each), None)))
                else:
                    # Anything else is an error or a code; text with fields must be read from its cell.
                    is_plain = isinstance(value, str) and "\x01" not in value
                    texts.append((value if is_plain else sheet.getCellByPosition(column, row).getString(), str))
            yield texts


def special(document, sheet, rows, columns):
    """Kinds of number formats whose values must not be taken for plain numbers, by column and row."""
    formats, found = document.getNumberFormats(), {}
    groups = sheet.getUniqueCellFormatRanges()
    for index in range(groups.getCount()):
        group = groups.getByIndex(index)
        shown = formats.getByKey(group.NumberFormat)
        kind = CODE if re.fullmatch(r"0{2,}(-0+)*", shown.FormatString) else shown.Type & (DATE | TIME | LOGICAL)
        if kind == 0:
            continue
        for area in group.getRangeAddresses():
            for column in range(area.StartColumn, min(area.EndColumn + 1, columns)):
                found.setdefault(column, Rows()).add(area.StartRow, min(area.EndRow, rows - 1), kind)
    return found


class Rows:
    """Runs of rows of one kind."""

    def __init__(self):
        self.runs = []

    def add(self, start, end, kind):
        self.runs.append((start, end, kind))

    def get(self, row, other):
        return next((kind for start, end, kind in self.runs if start <= row <= end), other)


def text_of(value, kind, epoch):
    if kind & LOGICAL:
        return "TRUE" if value else "FALSE"
    # Beyond the range of dates, or not a date at all.
    if not kind & (DATE | TIME) or abs(value) > 1e12:
        return number(value)
    milliseconds = round(value * 86_400_000)
    if kind & DATE:
        try:
            moment = epoch + timedelta(milliseconds=milliseconds)
        except OverflowError:
            return number(value)
        return moment.isoformat(timespec="milliseconds").replace(".000", "").removesuffix("T00:00:00")
    return clock(milliseconds) if 0 <= milliseconds < 86_400_000 else duration(milliseconds)


def number(value):
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return format(Decimal(repr(value)), "f") if 1e-20 < abs(value) < 1e21 else repr(value)


def clock(milliseconds):
    return (datetime(2000, 1, 1) + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")[11:].replace(".000", "")


def duration(milliseconds):
    whole = abs(milliseconds)
    parts = ((whole // 3_600_000, "H"), (whole // 60_000 % 60, "M"), (f"{whole % 60_000 / 1000:g}", "S"))
    return ("-" if milliseconds < 0 else "") + "PT" + "".join(f"{count}{unit}" for count, unit in parts if count not in (0, "0"))


def quoted(text, separator, always):
    if always or any(mark in text for mark in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
