"""All digits of numbers, and milliseconds of times: the office writes 15 digits and hundredths of a second into XML."""
import os
import re
import zipfile

import books
import cells

# @see com.sun.star.sheet.CellFlags
NUMBERS, TIMES, FORMULAS = 1, 2, 16
OPEN = re.compile(r"calc8(_template)?|OpenDocument Spreadsheet Flat XML")
EXCEL = re.compile(r"Calc MS Excel 2007 (VBA |XML)")


def restore(document, path, export):
    """Puts them into what the office has written. Returns the first four places of those that were not found there."""
    if not books.is_book(document) or not (OPEN.fullmatch(export) or EXCEL.match(export)):
        return []
    sheets = document.getSheets()
    wanted = [cut(sheets.getByIndex(index)) for index in range(sheets.getCount())]
    if not any(wanted):
        return []
    if OPEN.fullmatch(export):
        epoch = cells.epoch_of(document)
        rewrite(path, lambda name, text: in_tables(text, wanted, epoch) if name in ("", "content.xml") else None)
    else:
        parts = {f"xl/worksheets/sheet{index + 1}.xml": places for index, places in enumerate(wanted) if places}
        rewrite(path, lambda name, text: in_sheet(text, parts[name]) if name in parts else None, parts)
    left = [sheets.getByIndex(index).getCellByPosition(column, row) for index, places in enumerate(wanted) for row, column in places]
    return [cell.AbsoluteName.replace("$", "") for cell in left[:4]]


def cut(sheet):
    """The numbers that lose something, by row and column."""
    found = {}
    for kinds, rounding in ((NUMBERS | FORMULAS, "all"), (TIMES, "times")):
        for area in sheet.queryContentCells(kinds).getRangeAddresses():
            data = sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow).getDataArray()
            for row, values in enumerate(data, area.StartRow):
                for column, value in enumerate(values, area.StartColumn):
                    if isinstance(value, float) and (books.is_rounded(value, "all") or books.is_rounded(value, rounding)):
                        found[row, column] = value
    return found


def rewrite(path, change, names=("content.xml",)):
    """Of a flat file the whole, without a name; of a package the named parts, and the others as they are."""
    if not zipfile.is_zipfile(path):
        with open(path, encoding="utf-8", newline="") as file:
            text = change("", file.read())
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return
    made = path + ".exact"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(made, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename in names:
                content = change(entry.filename, content.decode("utf-8")).encode("utf-8")
            target.writestr(entry, content, entry.compress_type)
    os.replace(made, path)


CELL = re.compile(r'<c r="([A-Z]+)(\d+)"[^>]*>(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)?<v>([^<]*)</v>')


def in_sheet(text, places):
    """Of Office Open XML, where each cell says where it is."""

    def exact(cell):
        place = int(cell[2]) - 1, column_of(cell[1])
        return cell[0] if place not in places else cell[0][: -len(cell[3]) - 4] + repr(places.pop(place)) + "</v>"

    return CELL.sub(exact, text)


def column_of(letters):
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


TAG = re.compile(r"<(/?)table:(table|table-row|table-cell|covered-table-cell|shapes)(?=[\s/>])([^>]*)>")
REPEATED = re.compile(r' table:number-(?:rows|columns)-repeated="(\d+)"')
VALUE = re.compile(r' office:(value|date-value|time-value)="[^"]*"')


def in_tables(text, wanted, epoch):
    """Of an OpenDocument, where one cell may stand for several, and a row too."""
    parts, done = [], 0
    index, row, column, rows, drawn = -1, 0, 0, 0, 0
    for tag in TAG.finditer(text):
        ends, name, attributes = tag.groups()
        if name == "shapes":
            drawn += 0 if attributes.endswith("/") else -1 if ends else 1
        if drawn or ends or name == "shapes":
            continue
        times = int((REPEATED.search(attributes) or (0, 1))[1])
        if name == "table":
            index, row, column, rows = index + 1, 0, 0, 0
        elif name == "table-row":
            row, column, rows = row + rows, 0, times
        elif 0 <= index < len(wanted):
            places = [(each, at) for each in range(row, row + rows) for at in range(column, column + times) if (each, at) in wanted[index]]
            column += times
            values = {wanted[index][place] for place in places}
            # The office joins none but those that are the same.
            if len(values) == 1 and len(places) == rows * times:
                [value] = values
                for place in places:
                    del wanted[index][place]
                parts += text[done : tag.start()], VALUE.sub(lambda found: f' office:{found[1]}="{words(value, found[1], epoch)}"', tag[0])
                done = tag.end()
    return "".join(parts) + text[done:]


def words(value, kind, epoch):
    if kind == "value":
        return repr(value)
    milliseconds = round(value * 86_400_000)
    return cells.day(milliseconds, epoch) if kind == "date-value" else cells.duration(milliseconds)
