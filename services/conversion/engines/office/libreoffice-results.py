"""Restores the results of formulas that the office cannot compute: if it does not know a function,
it shows an error where the file has a value, or another error than the file has. Some tell of our machine."""
import re
import zipfile
from datetime import datetime, timedelta
from math import isfinite
from xml.etree import ElementTree

import binary
from packages import DAMAGED, excel_sheets, local, related, told

# Excel's errors that the office knows too.
KNOWN = re.compile(r"#(NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)$")
# @see com.sun.star.sheet.FormulaResult, com.sun.star.sheet.CellFlags
ERROR, FORMULA = 4, 16
# What programs that cannot compute write for a result.
NOTHING = {("number", "0"), ("number", "0.0"), ("text", "")}


def restore(document, path, telling, is_stale):
    """Puts back the results of the file where the office has an error, and of formulas that tell. Returns the first four cells
    whose formula became its result, and the first four that have none in the file either, or a zero or empty text that stands for none (`is_stale`)."""
    wanted = {sheet.getName(): {*failed_in(sheet), *telling.get(sheet.getName(), ())} for sheet in document.getSheets()}
    given = values_of(path, {name: places for name, places in wanted.items() if places})
    found, unknown, computed = [], [], []
    for name, places in wanted.items():
        sheet, told = document.getSheets().getByName(name), telling.get(name, {})
        values = {place: ("text", shown) for place, shown in told.items() if given is None and isinstance(shown, str)}
        values.update((place, value) for place, value in (given or {}).get(name, {}).items() if not is_stale or value not in NOTHING)
        wrong, others = set(), []
        for place, shown in shown_in(sheet, {*places, *values}):
            if place not in values:
                if place in told:
                    # It would still tell.
                    values[place] = ("text", "")
                    wrong.add(place)
                if len(unknown) < 4 and (place in told or is_unknown(sheet.getCellByPosition(*place))):
                    unknown.append(place_of(sheet.getCellByPosition(*place)))
            elif is_wrong(sheet, place, shown, values[place]):
                wrong.add(place)
                found += [place_of(sheet.getCellByPosition(*place))] if len(found) < 4 else []
            elif shown is not None:
                others.append(place)
        for column, first, last in runs_of(wrong):
            put_run(sheet, column, first, last, values, document.NullDate)
        for place in others:
            put(sheet.getCellByPosition(*place), *values[place], document.NullDate)
        computed += [sheet.getCellByPosition(*place) for place in {*wrong, *others} if is_computed(*values[place])]
    if computed:
        is_automatic = document.isAutomaticCalculationEnabled()
        document.enableAutomaticCalculation(True)
        for cell in computed:
            cell.getError()
        document.enableAutomaticCalculation(is_automatic)
    return found, unknown


def is_wrong(sheet, place, shown, given):
    """Whether the office shows something else than a value that it could not compute."""
    if given[0] == "error" and shown is None:
        shown = sheet.getCellByPosition(*place).getString()
    return given != TRUTH and given != ("error", shown)


def runs_of(places):
    """Column, first and last row of cells below each other."""
    start = before = None
    for place in sorted(places):
        if before is None or place != (before[0], before[1] + 1):
            if before is not None:
                yield (*start, before[1])
            start = place
        before = place
    if before is not None:
        yield (*start, before[1])


def shown_in(sheet, places):
    """Places and their numbers or texts, in order, asked for together; None for an error."""
    for column, first, last in runs_of(places):
        for row, (shown,) in enumerate(sheet.getCellRangeByPosition(column, first, column, last).getDataArray(), first):
            yield (column, row), shown if isinstance(shown, (float, str)) else None


def put_run(sheet, column, first, last, values, null):
    """Together where possible: the office splits a group of like formulas at each cell that changes by itself."""
    area = sheet.getCellRangeByPosition(column, first, column, last)
    for row, (formula,) in enumerate(area.getFormulaArray(), first):
        if formula.startswith("{"):
            release(sheet, sheet.getCellByPosition(column, row))
    given = [values[column, row] for row in range(first, last + 1)]
    area.setDataArray([[data_of(*each, null)] for each in given])
    for row, (kind, value) in enumerate(given, first):
        if is_computed(kind, value):
            put(sheet.getCellByPosition(column, row), kind, value, null)


def place_of(cell):
    return cell.AbsoluteName.replace("$", "")


def is_unknown(cell):
    """Whether the office cannot read the formula, or does not know a name in it. @see formula/errorcodes.hxx"""
    return 500 < cell.getError() < 519 and cell.getError() != 503 or cell.getError() == 525


def failed_in(sheet):
    """The cells whose formula comes to an error."""
    places = set()
    for area in sheet.queryFormulaCells(ERROR).getRangeAddresses():
        for row in range(area.StartRow, area.EndRow + 1):
            places.update((column, row) for column in range(area.StartColumn, area.EndColumn + 1))
    return places


def release(sheet, cell):
    """Makes an array formula values, because its cells only change together. Its errors are lost."""
    if not cell.getFormula().startswith("{"):
        return
    cursor = sheet.createCursorByRange(cell)
    cursor.collapseToCurrentArray()
    values = [[value if isinstance(value, (float, str)) else "" for value in row] for row in cursor.getDataArray()]
    cursor.clearContents(FORMULA)
    cursor.setDataArray(values)


DURATION = re.compile(r"(-?)PT(\d+)H(\d+)M([\d.]+)S$")


def is_computed(kind, value):
    """Whether only a formula comes to it."""
    return kind in ("boolean", "truth") or kind == "error" and KNOWN.match(value) is not None


def data_of(kind, value, null):
    number = number_of(kind, value, null)
    return value if number is None else number


def put(cell, kind, value, null):
    if not is_computed(kind, value):
        data = data_of(kind, value, null)
        cell.setString(data) if isinstance(data, str) else cell.setValue(data)
    elif kind == "error":
        cell.setFormula("=" + value)
    else:
        cell.setFormula("=TRUE()" if value in ("1", "true") else "=FALSE()")


def number_of(kind, value, null):
    """As the office counts, unless the file has something else than it says."""
    length = DURATION.match(value) if kind == "time" else None
    try:
        if kind == "date":
            return (datetime.fromisoformat(value).replace(tzinfo=None) - datetime(null.Year, null.Month, null.Day)) / timedelta(days=1)
        if length is not None:
            return (-1 if length[1] else 1) * (int(length[2]) * 3600 + int(length[3]) * 60 + float(length[4])) / 86_400
        return float(value) if kind == "number" and isfinite(float(value)) else None
    except (OverflowError, ValueError):
        return None


def values_of(path, wanted):
    """What the file has in these cells, as kind and text. From Excel, also what the office does not read: some errors, and `true`.
    None if it cannot be told here: of old formats, and of damaged files."""
    if binary.is_binary(path):
        found = {}
        for name, place, value in binary.results(path) if wanted else ():
            if place in wanted.get(name, ()):
                found.setdefault(name, {})[place] = value
        return found
    try:
        if not zipfile.is_zipfile(path):
            with open(path, "rb") as file:
                is_open = b"<office:document" in file.read(4096)
            return (open_values(path, wanted) if wanted else {}) if is_open else None
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
            if "content.xml" in names:
                with package.open("content.xml") as part:
                    return open_values(part, wanted) if wanted else {}
            sheets = [(name, part) for name, part in excel_sheets(package) if part in names and (name in wanted or has_others(package, part))]
            return {name: excel_values(package, part, wanted.get(name, ())) for name, part in sheets}
    except DAMAGED:
        return None


OTHER = re.compile(rb">#(?!NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)[A-Z_]+[!?]?</|>true</")


def has_others(package, part):
    """Whether a sheet may have an error such as #SPILL!, or a truth value in letters."""
    with package.open(part) as content:
        end = b""
        while piece := content.read(2**20):
            if OTHER.search(end + piece):
                return True
            end = piece[-32:]
    return False


# A value rather than a formula's result. The office takes it for FALSE.
TRUTH = ("truth", "true")
EXCEL_KINDS = {"e": "error", "b": "boolean", "n": "number", "d": "date"}


def excel_values(package, part, wanted):
    found, texts, row, column = {}, None, 0, 0
    with package.open(part) as content:
        for event, element in ElementTree.iterparse(content, ("start", "end")):
            name = local(element.tag)
            if event == "start" and name == "row":
                row, column = int(element.get("r", row + 1)), 0
            elif event == "start" and name == "c":
                column = column_of(element.get("r", "")) or column + 1
            elif event == "end" and name == "c":
                kind = element.get("t", "n")
                # An empty text is a result, too.
                value = next((child.text or ("" if kind == "str" else None) for child in element if local(child.tag) == "v"), None)
                is_other = kind == "e" and not KNOWN.match(value or "") or kind == "b" and value == "true"
                if value is not None and (is_other or (column - 1, row - 1) in wanted):
                    if kind == "s":
                        texts = shared_texts(package) if texts is None else texts
                        value = texts.get(value)
                    if value is None:
                        continue
                    is_value = value == TRUTH[1] and not any(local(child.tag) == "f" for child in element)
                    found[column - 1, row - 1] = TRUTH if kind == "b" and is_value else (EXCEL_KINDS.get(kind, "text"), value)
                element.clear()
            elif event == "end" and name == "row":
                element.clear()
    return found


def column_of(reference):
    column = 0
    for letter in reference.rstrip("0123456789"):
        column = column * 26 + ord(letter) - 64
    return column


def shared_texts(package):
    """By index, without readings, which are in elements of their own."""
    items = ElementTree.fromstring(package.read(related(package, related(package, "", "officeDocument"), "sharedStrings")))
    runs = ((run for run in item if local(run.tag) in "tr") for item in items)
    return {str(place): "".join(text.text or "" for run in each for text in run.iter() if local(text.tag) == "t") for place, each in enumerate(runs)}


OPEN_KINDS = {"boolean": "boolean", "date": "date", "string": "text", "time": "time"}


def open_values(content, wanted):
    found, sheet, row, places = {}, None, 0, set()
    for event, element in ElementTree.iterparse(content, ("start", "end")):
        name = local(element.tag)
        if event == "start" and name == "table":
            sheet, row = told(element, "name"), 0
            places = wanted.get(sheet, set())
        elif event == "end" and name == "table-row":
            column = 0
            for cell in element:
                value = open_value(cell) if (column, row) in places else None
                if value is not None:
                    found.setdefault(sheet, {})[column, row] = value
                column += int(told(cell, "number-columns-repeated") or 1)
            row += int(told(element, "number-rows-repeated") or 1)
            element.clear()
    return found


def open_value(cell):
    kind = told(cell, "value-type")
    shown = "\n".join("".join(line.itertext()) for line in cell if local(line.tag) == "p")
    if kind is None or shown.startswith("Err:"):
        return None
    if kind == "string" and KNOWN.match(shown):
        return ("error", shown)
    names = ("value", "boolean-value", "date-value", "time-value", "string-value")
    return (OPEN_KINDS.get(kind, "number"), next((value for name in names if (value := told(cell, name)) is not None), shown))
