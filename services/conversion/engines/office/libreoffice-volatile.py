"""Results that change whenever a workbook is computed, as of NOW() and RAND(): the user saw those that the file has."""
import os
import re
import zipfile
from itertools import groupby, islice
from math import isclose
from operator import itemgetter

import binary
from packages import DAMAGED, related, write_changed
from results import data_of, shown_in, values_of

# @see com.sun.star.sheet.FormulaResult: values; values, text and errors.
VALUE, RESULTS = 1, 7
MOST_AT_ONCE = 10_000
# They ask for the name of the file or for the system, which are ours here.
TELLING = r'CELL\("filename"|INFO\('
MOVING = r"(?:NOW|TODAY|RAND|(?:GET)?RANDBETWEEN|OFFSET|INDIRECT|CELL)\("


BOOK = re.compile(r"xl/(workbook|worksheets/[^/]+)\.xml$")
FORMULA = re.compile(rb"\b(?:NOW|TODAY|RAND|RANDBETWEEN|OFFSET|INDIRECT|CELL|INFO)\(")
SETTING = re.compile(rb'(<(?:\w+:)?calcPr\b)(?:([^<>]*?)\scalcMode="\w*")?')


PIVOTS = re.compile(r"xl/worksheets/_rels/[^/]+\.rels$")
LINK = re.compile(rb"<(?:\w+:)?Relationship\b[^<>]*/>")
PIVOT = re.compile(rb"/pivotTable[\"']")


def readable(path, copy):
    """The path for the office to read, `copy` if it would change the workbook of Excel as it reads it, and why: such formulas, which it would compute; pivot tables, which it would arrange anew."""
    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
            links = {name: package.read(name) for name in names if PIVOTS.match(name)}
            changed = {name: made for name, part in links.items() if (made := without_pivots(part)) != part}
            has_pivots = bool(changed)
            part = related(package, "", "officeDocument")
            book = package.read(part)
            is_moving = b'calcMode="manual"' not in book and any(FORMULA.search(package.read(name)) for name in names if BOOK.match(name))
            if is_moving:
                changed[part] = manual(book)
            if changed:
                write_changed(package, copy, changed, 1)
        return copy if changed else path, is_moving, has_pivots
    except DAMAGED:
        return path, False, False


def without_pivots(links):
    return LINK.sub(lambda found: b"" if PIVOT.search(found[0]) else found[0], links)


def manual(book):
    """The workbook with the setting that the user starts each computation."""
    if SETTING.search(book):
        return SETTING.sub(rb'\1\2 calcMode="manual"', book, 1)
    # After the elements that may only come before it.
    end = max(book.rfind(b"sheets>") + 7, book.rfind(b"definedNames>") + 13)
    prefix = re.search(rb"(\w+:)?\w+>$", book[max(end - 60, 0) : end])
    return book[:end] + b'<%scalcPr calcMode="manual"/>' % (prefix[1] or b"" if prefix else b"") + book[end:]


class Held:
    """Such formulas and the results that the file has for them. To be made first: the office computes them when anyone asks."""

    def __init__(self, document, path, keeps, was_automatic):
        """`keeps`: whether the file may have results, and the target keeps them if the office computes nothing."""
        self.document, self.path, self.is_automatic = document, path, was_automatic or document.isAutomaticCalculationEnabled()
        document.enableAutomaticCalculation(False)
        sheets = {sheet.getName(): sheet for sheet in document.getSheets()}
        pattern = "|".join([MOVING, *names_in(document, MOVING)])
        self.telling = {name: dict(shown_by(sheet, rf"\b(?:{TELLING})")) for name, sheet in sheets.items()}
        self.results = {name: {**dict(shown_by(sheet, rf"\b(?:{pattern})")), **self.telling[name]} for name, sheet in sheets.items()}
        self.is_stale = asks_anew(path)
        self.is_held = keeps and not self.is_stale and any(self.results.values())
        given = values_of(path, self.results) if any(self.results.values()) else None
        if given is not None:
            # The office computes some already while it reads them.
            self.results = {name: {place: result_of(value, document.NullDate) for place, value in values.items()} for name, values in given.items()}
        if self.is_held:
            for sheet in sheets.values():
                compute_zeros(document, sheet)
            changed = {name: set(self.changed_in(name, self.results.get(name, {}))) for name in sheets}
            self.telling = {name: {place: shown for place, shown in told.items() if not shown or place in changed[name]} for name, told in self.telling.items()}
        else:
            document.enableAutomaticCalculation(True)
        if self.is_stale:
            self.results = {}
            document.calculateAll()

    def changed(self):
        """The first four cells whose result is another now."""
        sheets = self.document.getSheets()
        parts = ((name, part) for name, part in self.known() if sheets.hasByName(name))
        cells = (sheets.getByName(name).getCellByPosition(*place) for name, part in parts for place in self.changed_in(name, part))
        return [cell.AbsoluteName.replace("$", "") for cell in islice(cells, 4)]

    def known(self):
        """Of binary workbooks, the office computes others too, as of functions that it knows under another name."""
        if self.is_stale or not binary.is_binary(self.path):
            yield from self.results.items()
            return
        for name, results in groupby(binary.results(self.path), itemgetter(0)):
            while part := {place: result_of(value, self.document.NullDate) for _, place, value in islice(results, MOST_AT_ONCE)}:
                yield name, part

    def changed_in(self, name, results):
        for place, shown in shown_in(self.document.getSheets().getByName(name), results):
            before = results[place]
            if before is not None and before != shown and not (isinstance(before, float) and isinstance(shown, float) and isclose(before, shown, rel_tol=1e-14)):
                yield place

    def release(self, path):
        """Lets the result be computed where it is opened."""
        if not self.is_held or not self.is_automatic:
            return
        if not zipfile.is_zipfile(path):
            with open(path, "rb+") as file:
                content = file.read()
                file.seek(0)
                file.write(MANUAL.sub(rb"\1true", content))
                file.truncate()
            return
        with zipfile.ZipFile(path) as package:
            if "settings.xml" not in package.namelist():
                return
            write_changed(package, path + ".whole", {"settings.xml": MANUAL.sub(rb"\1true", package.read("settings.xml"))})
        os.replace(path + ".whole", path)


MANUAL = re.compile(rb'(<config:config-item config:name="AutoCalculate" config:type="boolean">)false')


def result_of(given, null):
    """As the office has it; None for an error."""
    kind, value = given
    return None if kind == "error" else float(value in ("1", "true")) if kind in ("boolean", "truth") else data_of(kind, value, null)


def compute_zeros(document, sheet):
    """Computes formulas without a result, or with an empty text, for which the office has a zero. Any other keeps its zero."""
    places = set()
    for area in sheet.queryFormulaCells(VALUE).getRangeAddresses():
        places.update(place for place, shown in data_in(sheet, area) if shown == 0)
    document.enableAutomaticCalculation(True)
    for _ in shown_in(sheet, places):
        pass
    document.enableAutomaticCalculation(False)


def data_in(sheet, area):
    data = sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow).getDataArray()
    for row, values in enumerate(data, area.StartRow):
        for column, value in enumerate(values, area.StartColumn):
            yield (column, row), value if isinstance(value, (float, str)) else None


def names_in(document, pattern):
    """The defined names that stand for such formulas."""
    ranges = [document.NamedRanges, *(sheet.NamedRanges for sheet in document.getSheets())]
    named = [each.getByIndex(index) for each in ranges for index in range(each.getCount())]
    return {re.escape(each.Name) + r"\b" for each in named if re.search(rf"\b{pattern}", each.Content)}


def shown_by(sheet, pattern):
    search = sheet.createSearchDescriptor()
    search.SearchString, search.SearchRegularExpression = pattern, True
    found = sheet.findAll(search)
    for area in found.queryFormulaCells(RESULTS).getRangeAddresses() if found else ():
        yield from data_in(sheet, area)


# @see ECMA-376 part 1, 18.2.2
ASKS = re.compile(rb"""<(?:\w+:)?calcPr\b[^<>]*\bfullCalcOnLoad=["'](?:1|true)["']""")


def asks_anew(path):
    """Programs that cannot compute write a zero or an empty text for each result, and ask the office for the results."""
    if binary.is_binary(path):
        return binary.lacks_results(path)
    try:
        with zipfile.ZipFile(path) as package:
            return ASKS.search(package.read(related(package, "", "officeDocument"))) is not None
    except DAMAGED:
        return False
