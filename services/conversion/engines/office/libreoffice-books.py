"""Visible sheets, names, limits and rounding of workbooks."""
import re

import uno


def bare_heads(document):
    """Strips the type and width that the office appends to each column name of a dBase table, as in NAME,C,20."""
    sheet = document.getSheets().getByIndex(0)
    # The maximum number of columns.
    for column in range(255):
        cell = sheet.getCellByPosition(column, 0)
        name = re.fullmatch(r"(.*),[A-Z](?:,\d+){0,2}", cell.getString())
        if name is None:
            return
        cell.setString(name[1])


# @see com.sun.star.util.NumberFormat
LOGICAL = 1024
MOST_RESTORED = 10_000


def restore_truth(document):
    """Restores booleans: the office reads them in Excel's formats as a formula, TRUE() or FALSE(), whose result others see as a number."""
    style = document.getNumberFormats().getStandardFormat(LOGICAL, uno.createUnoStruct("com.sun.star.lang.Locale"))
    for sheet in converted(document, 0):
        search = sheet.createSearchDescriptor()
        search.SearchString, search.SearchRegularExpression, search.SearchWords = r"=(TRUE|FALSE)\(\)", True, True
        found = sheet.findAll(search)
        for address in found.getRangeAddresses() if found else ():
            area = sheet.getCellRangeByPosition(address.StartColumn, address.StartRow, address.EndColumn, address.EndRow)
            area.NumberFormat = style
            data = area.getDataArray()
            # Cell by cell, as the office accepts no array here. If there are too many, they stay formulas with the right type.
            if len(data) * len(data[0]) > MOST_RESTORED:
                continue
            for row, values in enumerate(data):
                for column, value in enumerate(values):
                    area.getCellByPosition(column, row).setValue(value)
        name_truth(document, sheet, style)


# From com.sun.star.sheet.FormulaResult; also the type of a boolean formula result.
VALUE = 1
# From com.sun.star.sheet.CellFlags: values, dates, text, comments and formulas; and everything that a cell can have.
FILLED, EVERYTHING = 31, 1023
MAYBE_TRUTH = re.compile(r"[=<>]|\b(AND|OR|XOR|NOT|EXACT|TRUE|FALSE|IS[A-Z]+)\(", re.I)


def name_truth(document, sheet, style):
    """Others see a boolean formula result as a number, unless the cell's format says otherwise."""
    formats, unsure = document.getNumberFormats(), []
    for area in sheet.queryFormulaCells(VALUE).getRangeAddresses():
        cells = sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow)
        for row, values in enumerate(cells.getDataArray()):
            for column, value in enumerate(values):
                if value not in (0.0, 1.0):
                    continue
                cell = cells.getCellByPosition(column, row)
                if formats.getByKey(cell.NumberFormat).Type & LOGICAL:
                    cell.NumberFormat = style
                elif cell.NumberFormat == 0 and len(unsure) < MOST_RESTORED and MAYBE_TRUTH.search(cell.getFormula(), 1):
                    unsure.append(cell)
    if not unsure:
        return
    # XLS formats every cell as a number. Recalculated in an unformatted
    # cell, a formula reveals its type; the original cell keeps its result. No other is computed: it may have to keep the file's result.
    last = sheet.Columns.getCount() - 1
    spare = sheet.getCellRangeByPosition(last, 0, last, len(unsure) - 1)
    if spare.queryContentCells(FILLED).getCount() > 0:
        return
    for row, cell in enumerate(unsure):
        spare.getCellByPosition(0, row).setFormula(cell.getFormula())
    is_automatic = document.isAutomaticCalculationEnabled()
    document.enableAutomaticCalculation(True)
    spare.getDataArray()
    document.enableAutomaticCalculation(is_automatic)
    for row, cell in enumerate(unsure):
        if formats.getByKey(spare.getCellByPosition(0, row).NumberFormat).Type & LOGICAL:
            cell.NumberFormat = style
    spare.clearContents(EVERYTHING)


def shown(sheets):
    """Positions, from 1, of the visible sheets; of all sheets if none is visible."""
    every = range(1, sheets.getCount() + 1)
    return [place for place in every if sheets.getByIndex(place - 1).IsVisible] or list(every)


def is_book(document):
    return document.supportsService("com.sun.star.sheet.SpreadsheetDocument")


def sheet_names(document):
    if not is_book(document):
        return []
    sheets = document.getSheets()
    return [sheets.getByIndex(place - 1).getName() for place in shown(sheets)]


def has_hidden(document):
    return is_book(document) and len(sheet_names(document)) < document.getSheets().getCount()


def first(document):
    sheets = document.getSheets()
    return sheets.getByIndex(shown(sheets)[0] - 1)


def converted(document, place):
    """The sheet at a position, from 1, otherwise all."""
    if not is_book(document):
        return []
    sheets = document.getSheets()
    return [sheets.getByIndex(index) for index in range(sheets.getCount()) if place in (0, index + 1)]


def rank_of(document, place):
    """Position among the visible sheets, from 1; 0 for hidden ones and for all."""
    places = shown(document.getSheets()) if is_book(document) else []
    return places.index(place) + 1 if place in places else 0


def place_of(sheets, wanted):
    """By position among the visible sheets, otherwise by case-insensitive name, including hidden ones."""
    places = shown(sheets)
    if re.fullmatch("[0-9]+", wanted) and 1 <= int(wanted) <= len(places):
        return places[int(wanted) - 1]
    names = [name.lower() for name in sheets.getElementNames()]
    if wanted.lower() not in names:
        raise IndexError(wanted)
    return names.index(wanted.lower()) + 1


# Numbers, dates, text and formulas. @see com.sun.star.sheet.CellFlags
CONTENT, NUMBERS, TIMES, TEXTS, FORMULAS = 23, 1, 2, 4, 16


def exceeds(sheets, rows, columns):
    """Whether a sheet exceeds the target's limits, beyond which cells would be dropped silently."""
    for sheet in sheets:
        cursor = sheet.createCursor()
        cursor.gotoEndOfUsedArea(False)
        end = cursor.getRangeAddress()
        if end.EndRow < rows and end.EndColumn < columns:
            continue
        if any(area.EndRow >= rows or area.EndColumn >= columns for area in sheet.queryContentCells(CONTENT).getRangeAddresses()):
            return True
    return False


def areas(sheets, kinds):
    """Ranges of cells of only these kinds."""
    for sheet in sheets:
        for area in sheet.queryContentCells(kinds).getRangeAddresses():
            yield sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow)


def filled(ranges):
    """The number of cells that are not empty."""
    return sum((area.EndRow - area.StartRow + 1) * (area.EndColumn - area.StartColumn + 1) for area in ranges.getRangeAddresses())


def hidden_cells(sheets):
    """The number of filled cells in hidden rows and columns of visible sheets."""
    found = 0
    for sheet in sheets:
        if sheet.IsVisible:
            cells = sheet.queryContentCells(CONTENT)
            # The office fails to look for visible cells among none.
            if cells.getCount() > 0:
                found += filled(cells) - filled(cells.queryVisibleCells())
    return found


def is_rounded(value, which):
    """Whether the office writes fewer digits: 15 for numbers, but all for
    integers if `which` is "fractions"; hundredths of a second for "times"."""
    if which == "times":
        hundredths = value * 8_640_000
        return abs(hundredths - round(hundredths)) > 0.01
    return float(f"{value:.15g}") != value and not (which == "fractions" and value.is_integer() and abs(value) < 2**53)


def rounded(sheets, wanted):
    """The first four such numbers; `wanted` contains "all" or "fractions", and maybe "times"."""
    found = []
    for which in wanted:
        for cells in areas(sheets, TIMES if which == "times" else NUMBERS):
            for row, values in enumerate(cells.getDataArray()):
                for column, value in enumerate(values):
                    if isinstance(value, float) and is_rounded(value, which):
                        found.append(cells.getCellByPosition(column, row).AbsoluteName.replace("$", ""))
                        if len(found) == 4:
                            return found
    return found


def correct_1900(document):
    """Excel has a 29 February 1900 and the office has not, so the office's days before it are one too early."""
    formats = document.getNumberFormats()
    if document.NullDate.Year != 1899:
        return
    for cells in areas(converted(document, 0), TIMES):
        for row, values in enumerate(cells.getDataArray()):
            for column, value in enumerate(values):
                if not isinstance(value, float) or not 0 <= value < 60:
                    continue
                cell = cells.getCellByPosition(column, row)
                # com.sun.star.util.NumberFormat.DATE, which durations do not have.
                if formats.getByKey(cell.NumberFormat).Type & 2:
                    cell.setValue(value + 1)


def days_of_excel(document):
    """The reverse: Excel's day numbers before its 29 February 1900 are one lower."""
    if document.NullDate.Year != 1899:
        return
    formats = document.getNumberFormats()
    for cells in areas(converted(document, 0), TIMES):
        for row, values in enumerate(cells.getDataArray()):
            for column, value in enumerate(values):
                if not isinstance(value, float) or not 1 <= value < 61:
                    continue
                cell = cells.getCellByPosition(column, row)
                if formats.getByKey(cell.NumberFormat).Type & 2:
                    cell.setValue(value - 1)


# Placeholder for a tab in the text of multi-line or formatted cells.
FIELD = "\x01"
# Characters that XML cannot have.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def space_tabs(document):
    """The office treats such a tab as a field, which it does not write. Returns the first four cells in which tabs became
    spaces, and the first four with other control characters, which it does not write either."""
    found, lost = [], []
    for cells in areas(converted(document, 0), TEXTS):
        for row, values in enumerate(cells.getDataArray()):
            for column, text in enumerate(values):
                if not isinstance(text, str) or not CONTROL.search(text):
                    continue
                cell = cells.getCellByPosition(column, row)
                # The text may already contain the placeholder as a control character.
                if CONTROL.search(cell.getString()) and len(lost) < 4:
                    lost.append(cell.AbsoluteName.replace("$", ""))
                if FIELD not in text or "\t" not in cell.getString():
                    continue
                for place, letter in enumerate(cell.getString()):
                    if letter == "\t":
                        cursor = cell.createTextCursor()
                        cursor.gotoStart(False)
                        cursor.goRight(place, False)
                        cursor.goRight(1, True)
                        cursor.setString(" ")
                if len(found) < 4:
                    found.append(cell.AbsoluteName.replace("$", ""))
    return found, lost


# In days, with some tolerance because days are fractions.
NEAR_A_DAY = 500.1 / 86_400


def whole_days(document):
    """The office reads times of Apple Numbers with six digits of their seconds since 2001, so in steps of a thousand
    seconds. Returns the first four cells whose time of day may be off, by up to half a step."""
    found = []
    for cells in areas(converted(document, 0), TIMES):
        for row, values in enumerate(cells.getDataArray()):
            for column, value in enumerate(values):
                if not isinstance(value, float) or value <= 1 or value == round(value):
                    continue
                cell = cells.getCellByPosition(column, row)
                if abs(value - round(value)) <= NEAR_A_DAY:
                    cell.setValue(round(value))
                elif len(found) < 4:
                    found.append(cell.AbsoluteName.replace("$", ""))
    return found


def longest(sheets):
    """Length of the longest text in bytes, also of one that a formula makes."""
    rows = (row for cells in areas(sheets, TEXTS | FORMULAS) for row in cells.getDataArray())
    return max((len(each.encode()) for row in rows for each in row if isinstance(each, str)), default=0)
