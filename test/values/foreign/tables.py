"""Tables of values: {"columns", "rows"}, read and written by Python's own libraries and Debian's."""
import base64
import csv
import datetime
import decimal
import io
import json
import re
import sqlite3
import xml.etree.ElementTree as elements
import zipfile

import avro.datafile
import avro.io
import avro.schema
import openpyxl
import xlrd
import xlwt
from openpyxl.utils.escape import unescape
from said import Stamped, number, plain, said, stamp

csv.field_size_limit(2**28)
SEPARATORS = {"csv": ",", "tsv": "\t", "psv": "|", "semicolons": ";"}


def text_of(cell):
    """A cell of a text table, as programs write it."""
    if cell is None or isinstance(cell, bool):
        return "" if cell is None else str(cell).lower()
    if "n" in cell:
        found = decimal.Decimal(cell["n"]) if cell["n"] not in ("nan", "inf", "-inf") else None
        return cell["n"] if found is None else f"{found:f}" if abs(found.adjusted()) < 40 else str(found)
    return cell.get("t", cell.get("s", cell.get("b")))


def write_text(table, path, kind):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=SEPARATORS[kind], lineterminator="\r\n")
        writer.writerows([table["columns"], *[[text_of(cell) for cell in row] for row in table["rows"]]])


def read_text(path, kind):
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file, delimiter=SEPARATORS[kind], strict=True))
    return lines_as_table([[{"t": cell} for cell in line] for line in lines if line])


def lines_as_table(lines):
    width = max(map(len, lines), default=0)
    columns = [text_of(cell) for cell in lines[0]] + [""] * (width - len(lines[0])) if lines else []
    return {"columns": columns, "rows": [line + [None] * (width - len(line)) for line in lines[1:]]}


def write_sqlite(table, path):
    base = sqlite3.connect(path)
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in table["columns"])
    base.execute(f"CREATE TABLE data ({names})")

    def tame(value):
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            return value
        return value if isinstance(value, (float, bytes)) or value is None else str(value)

    for row in table["rows"]:
        base.execute(f"INSERT INTO data VALUES ({', '.join('?' * len(row))})", [plain(cell, tame) for cell in row])
    base.commit()
    base.close()


def read_sqlite(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    kinds = [row[2] for row in base.execute("PRAGMA table_info(data)")]
    cursor = base.execute("SELECT * FROM data")
    columns = [column[0] for column in cursor.description]
    truth = [kind == "BOOLEAN" for kind in kinds]
    rows = [[bool(cell) if truth[at] and cell is not None else said(cell) for at, cell in enumerate(row)] for row in cursor]
    base.close()
    return {"columns": columns, "rows": rows}


def book_cell(cell):
    """Values with a workbook type of their own; others are written as text."""
    if cell is None or isinstance(cell, bool):
        return cell
    if "n" in cell:
        value = plain(cell, lambda each: each)
        is_exact = isinstance(value, (int, float)) and abs(value) < 1e15 and float(f"{value:.15g}") == value and str(value) not in ("nan", "-0.0")
        return value if is_exact else text_of(cell)
    if "s" in cell and re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?", cell["s"]) and cell["s"] >= "1900-03-01":
        return datetime.datetime.fromisoformat(cell["s"]) if "T" in cell["s"] else datetime.date.fromisoformat(cell["s"])
    return re.sub("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]", "", text_of(cell))


def write_xlsx(table, path):
    book = openpyxl.Workbook()
    for at, line in enumerate([[{"t": name} for name in table["columns"]], *table["rows"]], 1):
        for column, cell in enumerate(map(book_cell, line), 1):
            made = book.active.cell(at, column, cell)
            if isinstance(cell, str):
                made.data_type = "s"
    book.save(path)


def read_xlsx(path):
    book = openpyxl.load_workbook(path, data_only=True)

    def of(cell):
        if isinstance(cell.value, datetime.datetime) and re.search(r"[hs]", cell.number_format) is None:
            return stamp(cell.value.date())
        return said(unescape(cell.value) if isinstance(cell.value, str) else cell.value)

    return lines_as_table([list(map(of, line)) for line in book.worksheets[0].iter_rows()])


def write_xls(table, path):
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("Sheet1")
    day, moment = xlwt.easyxf(num_format_str="yyyy-mm-dd"), xlwt.easyxf(num_format_str="yyyy-mm-dd hh:mm:ss")
    for at, line in enumerate([[{"t": name} for name in table["columns"]], *table["rows"]]):
        for column, cell in enumerate(map(book_cell, line)):
            style = moment if isinstance(cell, datetime.datetime) else day if isinstance(cell, datetime.date) else xlwt.Style.default_style
            if cell is not None:
                sheet.write(at, column, cell, style)
    book.save(path)


def read_xls(path):
    book = xlrd.open_workbook(path, formatting_info=True)
    sheet = book.sheet_by_index(0)

    def of(cell):
        if cell.ctype == xlrd.XL_CELL_DATE:
            parts = xlrd.xldate_as_datetime(cell.value, book.datemode)
            shown = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
            return stamp(parts if re.search(r"[hs]", shown) else parts.date())
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
            return None
        return {"t": xlrd.error_text_from_code[cell.value]} if cell.ctype == xlrd.XL_CELL_ERROR else said(cell.value)

    return lines_as_table([list(map(of, sheet.row(at))) for at in range(sheet.nrows)])


OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def open_text(element):
    """From a paragraph, in which repeated blanks, tabs and line breaks are elements."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == TEXT + "s":
            parts.append(" " * int(child.get(TEXT + "c", "1")))
        elif child.tag == TEXT + "tab":
            parts.append("\t")
        elif child.tag == TEXT + "line-break":
            parts.append("\n")
        else:
            parts.append(open_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def open_cell(cell):
    kind = cell.get(OFFICE + "value-type")
    if kind in ("float", "percentage", "currency"):
        return number(decimal.Decimal(repr(float(cell.get(OFFICE + "value")))))
    if kind == "boolean":
        return cell.get(OFFICE + "boolean-value") == "true"
    if kind == "date":
        return {"s": cell.get(OFFICE + "date-value")}
    if kind == "time":
        return {"s": cell.get(OFFICE + "time-value")}
    if kind is None:
        return None
    return {"t": "\n".join(open_text(each) for each in cell.findall(TEXT + "p"))}


def read_open(raw):
    sheet = next(elements.fromstring(raw).iter(TABLE + "table"))
    lines = []
    for row in sheet.iter(TABLE + "table-row"):
        line = []
        for cell in row:
            if cell.tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                line += [open_cell(cell)] * min(int(cell.get(TABLE + "number-columns-repeated", "1")), 2000)
        while line and line[-1] is None:
            line.pop()
        lines += [line] * min(int(row.get(TABLE + "number-rows-repeated", "1")), 1 if not line else 5000)
    while lines and not lines[-1]:
        lines.pop()
    return lines_as_table(lines)


def read_avro(path):
    with open(path, "rb") as file:
        reader = avro.datafile.DataFileReader(file, avro.io.DatumReader())
        rows = list(reader)
    fields = json.loads(reader.schema)["fields"]
    columns = [field["name"] for field in fields]
    kinds = {field["name"]: logical_type(field["type"]) for field in fields}
    return {"columns": columns, "rows": [[said(local_time(row[name], kinds.get(name))) for name in columns] for row in rows]}


def logical_type(kind):
    kinds = [each for each in (kind if isinstance(kind, list) else [kind]) if isinstance(each, dict)]
    return kinds[0].get("logicalType") if kinds else None


def local_time(value, kind):
    """For logical types newer than this library."""
    parts = re.fullmatch("local-timestamp-(milli|micro|nano)s|(timestamp)-nanos", kind or "")
    if value is None or parts is None:
        return value
    units = {"milli": 10**3, "micro": 10**6, "nano": 10**9, None: 10**9}[parts[1]]
    whole, part = divmod(value, units)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
    return Stamped(f"{moment.isoformat()}.{part * 10**9 // units:09}".rstrip("0").rstrip(".") + ("Z" if parts[2] else ""))


def write_avro(table, path):
    """Each column is a union, so that a cell may have any type."""
    types = ["null", "boolean", "long", "double", "string", "bytes"]
    fields = [{"name": name, "type": types} for name in table["columns"]]
    schema = avro.schema.parse(json.dumps({"type": "record", "name": "Row", "fields": fields}))

    def tame(value):
        if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
            return str(value)
        return value if value is None or isinstance(value, (bool, int, float, bytes)) else str(value)

    with avro.datafile.DataFileWriter(open(path, "wb"), avro.io.DatumWriter(), schema) as writer:
        for row in table["rows"]:
            writer.append({name: plain(cell, tame) for name, cell in zip(table["columns"], row)})


def read(kind, path):
    if kind in SEPARATORS:
        return read_text(path, kind)
    if kind == "fods":
        with open(path, "rb") as file:
            return read_open(file.read())
    if kind == "ods":
        with zipfile.ZipFile(path) as book:
            return read_open(book.read("content.xml"))
    return {"sqlite": read_sqlite, "xlsx": read_xlsx, "xls": read_xls, "avro": read_avro}[kind](path)


def write(kind, table, path):
    if kind in SEPARATORS:
        return write_text(table, path, kind)
    return {"sqlite": write_sqlite, "xlsx": write_xlsx, "xls": write_xls, "avro": write_avro}[kind](table, path)
