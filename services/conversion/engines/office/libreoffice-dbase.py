"""Writes a sheet as a dBase table. The office's own writer turns what its fields cannot hold, and empty cells, into the number 0.
@see https://www.dbase.com/Knowledgebase/INT/db7_file_fmt.htm"""
import re
import struct
from datetime import date

from cells import DATE

# The byte that names each code page, and no byte for UTF-8.
PAGES = {
    "cp1252": 0x03,
    "cp1250": 0xC8,
    "cp1251": 0xC9,
    "cp1253": 0xCB,
    "cp1254": 0xCA,
    "cp1257": 0xCC,
    "cp1255": 0x7D,
    "cp1256": 0x7E,
    "cp874": 0x50,
    "cp932": 0x13,
    "gbk": 0x4D,
    "cp949": 0x4E,
    "cp950": 0x4F,
    "utf-8": 0x00,
}
PLAIN = re.compile(r"-?\d+(?:\.(\d+))?")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
WIDEST_NUMBER, MOST_DECIMALS, WIDEST_NAME = 20, 15, 10


def write(read, path):
    """`read` yields all rows, as pairs of a text and its kind. Returns what the table lacks."""
    heads = next(iter(read()), [])
    is_named = any(text for text, _ in heads) and all(kind is str or text == "" for text, kind in heads)
    columns = [Column() for _ in heads]
    count = -1 if is_named else 0
    for place, row in enumerate(read()):
        count += 1
        if place > 0 or not is_named:
            for column, (text, kind) in zip(columns, row):
                column.add(text, kind)
    letters = "".join({letter for column in columns if column.type == "C" for letter in column.letters})
    page = next(page for page in PAGES if page == "utf-8" or holds(page, letters))
    wanted = [text if is_named else "" for text, _ in heads]
    names = names_of(wanted)
    with open(path, "wb") as file:
        file.write(header(columns, names, count, PAGES[page]))
        for place, row in enumerate(read()):
            if place > 0 or not is_named:
                file.write(b" " + b"".join(column.field(text, page) for column, (text, _) in zip(columns, row)))
        file.write(b"\x1a")
    return {
        "renamed": [before or f"column {place}" for place, (before, after) in enumerate(zip(wanted, names), 1) if before != after][:4],
        "hasTexts": any(column.has_others for column in columns if column.type == "C"),
        "padded": [name for name, column in zip(names, columns) if column.is_padded][:4],
        "isUnnamed": page == "utf-8",
    }


class Column:
    """What a column contains, and so its type."""

    def __init__(self):
        self.kinds, self.letters = set(), set()
        self.bytes = self.whole = self.decimals = 0
        self.has_others = self.is_padded = False

    def add(self, text, kind):
        if text == "":
            return
        found = PLAIN.fullmatch(text) if kind is None else None
        is_day = kind is DATE and DAY.fullmatch(text)
        self.kinds.add("N" if found else "D" if is_day else "C")
        self.has_others |= kind is not str
        self.is_padded |= text.endswith(" ")
        self.letters.update(text)
        self.bytes = max(self.bytes, len(text.encode()))
        if found:
            decimals = len(found[1] or "")
            self.decimals = max(self.decimals, decimals)
            self.whole = max(self.whole, len(text) - (decimals + 1 if decimals else 0))

    @property
    def type(self):
        only = next(iter(self.kinds)) if len(self.kinds) == 1 else "C"
        fits = self.decimals <= MOST_DECIMALS and self.number_width <= WIDEST_NUMBER
        return only if only != "N" or fits else "C"

    @property
    def number_width(self):
        return self.whole + (self.decimals + 1 if self.decimals else 0)

    @property
    def width(self):
        # In UTF-8, which no code page exceeds.
        return {"N": self.number_width, "D": 8}.get(self.type, max(1, self.bytes))

    def field(self, text, page):
        if self.type == "N" and text:
            whole, _, part = text.partition(".")
            return (whole + ("." + part.ljust(self.decimals, "0") if self.decimals else "")).encode().rjust(self.width)
        return (text.replace("-", "") if self.type == "D" else text).encode(page).ljust(self.width)


def header(columns, names, count, page):
    today = date.today()
    start, size = 32 + 32 * len(columns) + 1, 1 + sum(column.width for column in columns)
    parts = [struct.pack("<BBBBIHH17xB2x", 3, today.year - 1900, today.month, today.day, count, start, size, page)]
    for column, name in zip(columns, names):
        decimals = column.decimals if column.type == "N" else 0
        parts.append(struct.pack("<11sc4xBB14x", name.encode(), column.type.encode(), column.width, decimals))
    return b"".join(parts) + b"\r"


def names_of(wanted):
    """Of up to ten capital letters, digits and underscores, no two alike."""
    taken, names = set(), []
    for place, text in enumerate(wanted, 1):
        plain = re.sub(r"[^A-Z0-9_]", "_", text.upper()) or str(place)
        plain = (plain if plain[0].isalpha() else "N" + plain)[:WIDEST_NAME]
        name, number = plain, 1
        while name in taken:
            number += 1
            name = plain[: WIDEST_NAME - len(str(number))] + str(number)
        taken.add(name)
        names.append(name)
    return names


def holds(page, letters):
    try:
        letters.encode(page)
    except UnicodeEncodeError:
        return False
    return True
