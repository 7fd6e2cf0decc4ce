"""Restores the stored results of formulas that the office cannot compute, for which it shows an error, and of those that would
reveal something about this machine."""
import posixpath
import re
import zipfile
from datetime import datetime, timedelta
from math import isfinite
from xml.etree import ElementTree

from packages import DAMAGED

# Excel errors that the office also supports.
KNOWN = re.compile(r"#(NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)$")
# @see com.sun.star.sheet.FormulaResult, com.sun.star.sheet.CellFlags
ERROR, FORMULA = 4, 16
MOST = 10_000


def restore(document, path):
    """Returns the first four cells whose formula was replaced by its result, and the first four without a stored result."""
    failed = {sheet.getName(): places for sheet in document.getSheets() if (places := failed_in(sheet) | telling_in(sheet))}
    try:
        given = values_of(path, failed)
    except DAMAGED:
        return [], []
    found, unknown = [], []
    for name in sorted({*failed, *given} & set(document.getSheets().getElementNames())):
        sheet, values = document.getSheets().getByName(name), given.get(name, {})
        wrong, others = set(), []
        for place, shown in shown_in(sheet, {*failed.get(name, ()), *values}):
            if place not in values:
                if len(unknown) < 4 and is_unknown(cell := sheet.getCellByPosition(*place)):
                    unknown.append(place_of(cell))
                continue
            kind, value = values[place]
            is_error = shown is None
            if kind == "error" and is_error:
                shown = sheet.getCellByPosition(*place).getString()
            if values[place] != TRUTH and (kind, value) != ("error", shown):
                wrong.add(place)
                found += [place_of(sheet.getCellByPosition(*place))] if len(found) < 4 else []
            elif not is_error:
                others.append(place)
        for column, first, last in runs_of(wrong):
            put_run(sheet, column, first, last, values, document.NullDate)
        for place in others:
            put(sheet.getCellByPosition(*place), *values[place], document.NullDate)
    return found, unknown


def runs_of(places):
    """Runs of adjacent cells in a column: column, first row, last row."""
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
    """Cells with their numbers or texts, in order, read in batches; None for an error."""
    for column, first, last in runs_of(places):
        for row, (shown,) in enumerate(sheet.getCellRangeByPosition(column, first, column, last).getDataArray(), first):
            yield (column, row), shown if isinstance(shown, (float, str)) else None


def put_run(sheet, column, first, last, values, null):
    """Sets cells in batches, because the office splits a group of equal formulas at each cell that changes alone."""
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
    """The cells whose formula results in an error."""
    places = set()
    for area in sheet.queryFormulaCells(ERROR).getRangeAddresses():
        for row in range(area.StartRow, area.EndRow + 1):
            places.update((column, row) for column in range(area.StartColumn, area.EndColumn + 1))
            if len(places) > MOST:
                return places
    return places


def telling_in(sheet):
    """The cells whose formula uses the file name or system information."""
    search = sheet.createSearchDescriptor()
    search.SearchString, search.SearchRegularExpression = r'\b(CELL\("filename"|INFO\()', True
    found = sheet.findAll(search)
    addresses = [cell.getCellAddress() for cell in found.getCells() if cell.Type.value == "FORMULA"] if found else []
    return {(address.Column, address.Row) for address in addresses[:MOST]}


def release(sheet, cell):
    """Replaces an array formula by values, because its cells can only change together. Its errors are lost."""
    if not cell.getFormula().startswith("{"):
        return
    cursor = sheet.createCursorByRange(cell)
    cursor.collapseToCurrentArray()
    values = [[value if isinstance(value, (float, str)) else "" for value in row] for row in cursor.getDataArray()]
    cursor.clearContents(FORMULA)
    cursor.setDataArray(values)


DURATION = re.compile(r"(-?)PT(\d+)H(\d+)M([\d.]+)S$")


def is_computed(kind, value):
    """Whether the value can only be set as a formula."""
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
    """The value as the number that the office stores; None for text, and if it does not match its kind."""
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
    """The stored values of these cells, as kind and text. For Excel, also values that the office does not read: some errors, and `true`."""
    if not zipfile.is_zipfile(path):
        return open_values(path, wanted) if wanted else {}
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        if "content.xml" in names:
            with package.open("content.xml") as part:
                return open_values(part, wanted) if wanted else {}
        sheets = [(name, part) for name, part in excel_sheets(package) if part in names and (name in wanted or has_others(package, part))]
        return {name: excel_values(package, part, wanted.get(name, ())) for name, part in sheets}


OTHER = re.compile(rb">#(?!NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)[A-Z_]+[!?]?</|>true</")


def has_others(package, part):
    """Whether a sheet may contain an error such as #SPILL!, or a boolean written as a word."""
    with package.open(part) as content:
        end = b""
        while piece := content.read(2**20):
            if OTHER.search(end + piece):
                return True
            end = piece[-32:]
    return False


def told(element, name):
    """An attribute, whatever its namespace."""
    return next((value for key, value in element.items() if local(key) == name), None)


def local(name):
    return name.rpartition("}")[2]


def relations(package, part, resolves=True):
    """Types and targets by id."""
    folder, name = posixpath.split(part)
    root = ElementTree.fromstring(package.read(posixpath.join(folder, "_rels", name + ".rels")))
    resolved = lambda target: posixpath.normpath(posixpath.join("/", folder, target))[1:] if resolves else target
    return {each.get("Id"): (each.get("Type", ""), resolved(each.get("Target", ""))) for each in root}


def related(package, part, wanted):
    return next((target for kind, target in relations(package, part).values() if kind.endswith("/" + wanted)), "")


def excel_sheets(package):
    """Names and parts. @see ECMA-376 part 1, 18.2"""
    book = related(package, "", "officeDocument")
    targets = relations(package, book)
    for element in ElementTree.fromstring(package.read(book)).iter():
        if local(element.tag) == "sheet":
            yield element.get("name"), targets.get(told(element, "id"), ("", ""))[1]


# A value rather than a formula's result. The office reads it as FALSE.
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
                value = next((child.text for child in element if local(child.tag) == "v"), None)
                kind = element.get("t", "n")
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
    """The shared strings by index, without phonetic text, which has its own elements."""
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
