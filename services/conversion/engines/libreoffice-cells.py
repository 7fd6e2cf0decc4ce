"""A sheet as text: what its cells hold, and not how they show it. Dates and times are as in ISO 8601."""
from datetime import datetime, timedelta
from decimal import Decimal

# @see com.sun.star.util.NumberFormat
DATE, TIME, LOGICAL = 2, 4, 1024
# Numbers, dates, texts and formulas. @see com.sun.star.sheet.CellFlags
CONTENT = 23
ROWS_AT_ONCE = 1000


def write(document, sheet, path, separator, quotes_text):
    """Writes all rows up to the last one that holds something, in one width."""
    areas = sheet.queryContentCells(CONTENT).getRangeAddresses()
    rows = max((area.EndRow for area in areas), default=-1) + 1
    columns = max((area.EndColumn for area in areas), default=-1) + 1
    kinds = special(document, sheet, rows, columns)
    null = document.NullDate
    epoch = datetime(null.Year, null.Month, null.Day)
    with open(path, "w", encoding="utf-8", newline="") as file:
        for start in range(0, rows, ROWS_AT_ONCE):
            cells = sheet.getCellRangeByPosition(0, start, columns - 1, min(start + ROWS_AT_ONCE, rows) - 1)
            for row, values in enumerate(cells.getDataArray(), start):
                texts = []
                for column, value in enumerate(values):
                    if not isinstance(value, (float, str)):
                        # An error.
                        value = sheet.getCellByPosition(column, row).getString()
                    kind = kinds.get(column, {}).get(row, 0) if isinstance(value, float) else 0
                    text = value if isinstance(value, str) else text_of(value, kind, epoch)
                    texts.append(quoted(text, separator, quotes_text and isinstance(value, str) and value != ""))
                file.write(separator.join(texts) + "\n")


def special(document, sheet, rows, columns):
    """Kinds of number formats that numbers are not to be taken for, by column and row."""
    formats, found = document.getNumberFormats(), {}
    groups = sheet.getUniqueCellFormatRanges()
    for index in range(groups.getCount()):
        group = groups.getByIndex(index)
        kind = formats.getByKey(group.NumberFormat).Type & (DATE | TIME | LOGICAL)
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
    milliseconds = round(value * 86_400_000)
    if kind & DATE:
        try:
            moment = epoch + timedelta(milliseconds=milliseconds)
        except OverflowError:
            return number(value)
        return moment.isoformat(timespec="milliseconds").replace(".000", "").removesuffix("T00:00:00")
    if kind & TIME:
        return clock(milliseconds) if 0 <= milliseconds < 86_400_000 else duration(milliseconds)
    return number(value)


def number(value):
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return format(Decimal(repr(value)), "f") if 1e-20 < abs(value) < 1e21 else repr(value)


def clock(milliseconds):
    return (datetime(2000, 1, 1) + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")[11:].replace(".000", "")


def duration(milliseconds):
    whole = abs(milliseconds)
    parts = ((whole // 3_600_000, "H"), (whole // 60_000 % 60, "M"), (whole % 60_000 / 1000, "S"))
    return ("-" if milliseconds < 0 else "") + "PT" + "".join(f"{count:g}{unit}" for count, unit in parts if count)


def quoted(text, separator, always):
    if always or any(mark in text for mark in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
