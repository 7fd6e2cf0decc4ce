"""Results of formulas in Excel's binary workbooks. @see [MS-CFB], [MS-XLS], [MS-XLSB]"""
import codecs
import io
import struct
import zipfile

from packages import DAMAGED, related, relations

COMPOUND = b"\xd0\xcf\x11\xe0"
NAMES = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
# Sector numbers from here on are marks, as of a chain's end.
MARKS = 0xFFFFFFFA


def is_binary(path):
    try:
        with open(path, "rb") as file:
            if file.read(4) == COMPOUND:
                return True
        with zipfile.ZipFile(path) as package:
            return "xl/workbook.bin" in package.namelist()
    except DAMAGED:
        return False


def results(path):
    """Yields sheet, place, and kind and value, up to where a damaged file ends."""
    try:
        with open(path, "rb") as file:
            if file.read(4) == COMPOUND:
                yield from old_results(stream(COMPOUND + file.read()))
                return
        with zipfile.ZipFile(path) as package:
            book = related(package, "", "officeDocument")
            for name, part in sheets(package, book):
                for place, value in new_results(package, part):
                    yield name, place, value
    except (*DAMAGED, struct.error):
        return


def numbers(data):
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def chain(start, table, piece, most):
    """Damaged chains have circles."""
    pieces = []
    while start < len(table) and len(pieces) < most:
        pieces.append(piece(start))
        start = table[start]
    return b"".join(pieces)


def stream(data):
    """The workbook among the streams of a compound file."""
    size = 1 << min(data[30], 16)
    most = len(data) // size
    sector = lambda number: data[(number + 1) * size : (number + 2) * size]
    ends, further = list(numbers(data[76:512])), numbers(data[68:72])[0]
    while further < MARKS and len(ends) < most:
        *more, further = numbers(sector(further))
        ends += more
    table = [entry for number in ends if number < MARKS for entry in numbers(sector(number))]
    whole = lambda start: chain(start, table, sector, most)
    folder = whole(numbers(data[48:52])[0])
    entry = lambda number: folder[number * 128 : number * 128 + 128]
    waiting, seen = [numbers(entry(0)[76:80])[0]], set()
    while waiting:
        number = waiting.pop()
        here = entry(number)
        if number in seen or len(here) < 128:
            continue
        seen.add(number)
        if here[: here[64]].decode("utf-16-le").rstrip("\0") in ("Workbook", "Book"):
            start, length = numbers(here[116:124])
            if length >= 4096:
                return whole(start)[:length]
            small = whole(numbers(entry(0)[116:120])[0])
            return chain(start, numbers(whole(numbers(data[60:64])[0])), lambda place: small[place * 64 : place * 64 + 64], 64)[:length]
        waiting += numbers(here[68:76])
    return b""


def lacks_results(path):
    """Whether no formula of an old workbook has a result. Some programs write an empty text for each,
    as xlwt does, others a zero and a flag that asks for computing, as Apache POI does."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        formulas = [record for _, kind, record in old_records(stream(data)) if kind == FORMULA and len(record) >= 16] if data.startswith(COMPOUND) else []
        return bool(formulas) and all(lacks_result(record[6:14], record[14]) for record in formulas)
    except (*DAMAGED, struct.error):
        return False


def lacks_result(value, flags):
    """@see [MS-XLS] 2.4.127"""
    return value[0] == 3 and value[6:] == b"\xff\xff" or value == bytes(8) and flags & 2 != 0


FORMULA = 6


def old_records(data):
    """Where each starts, its kind and its contents."""
    at = 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        if kind == 0x2F:
            # The rest is encrypted.
            return
        yield at, kind, data[at + 4 : at + 4 + size]
        at += 4 + size


def old_results(data):
    names, name, place, is_wide, letters = {}, None, None, data[4:6] == b"\0\6", "cp1252"
    for at, kind, record in old_records(data):
        if kind == 0x809:
            # Whatever version sheets name, the first record's is the one.
            name = names.get(at, name)
        elif kind == 0x42 and not is_wide:
            letters = code_page(record[0] | record[1] << 8)
        elif kind == 0x85 and record[5] == 0:
            names[numbers(record[:4])[0]] = old_text(record[6:7] + b"\0" + record[7:], is_wide, letters)
        elif kind == FORMULA and len(record) >= 14 and name is not None:
            row, column = struct.unpack_from("<HH", record)
            place, value = (column, row), old_value(record[6:14])
            if value is not None:
                yield name, place, value
        elif kind == 0x207 and place is not None:
            yield name, place, ("text", old_text(record, is_wide, letters))


def old_value(data):
    """None for a text, which is the next record."""
    if data[6:] != b"\xff\xff":
        return "number", repr(struct.unpack("<d", data)[0])
    return None if data[0] == 0 else value_of(data[0], data[2])


def value_of(kind, code):
    return ("boolean", str(code)) if kind == 1 else ("error", NAMES.get(code, "#N/A")) if kind == 2 else ("text", "")


MACINTOSH = {0: "mac_roman", 1: "shift_jis", 6: "mac_greek", 7: "mac_cyrillic", 29: "mac_latin2", 79: "mac_iceland", 81: "mac_turkish"}


def code_page(number):
    name = "mac_roman" if number == 0x8000 else MACINTOSH.get(number - 10_000, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def old_text(record, is_wide, letters):
    """With its length in 16 bits; since Excel 97, letters have 16 bits too if a flag says so."""
    length = record[0] | record[1] << 8
    if not is_wide:
        return record[2 : 2 + length].decode(letters, "replace")
    return record[3 : 3 + 2 * length].decode("utf-16-le", "replace") if record[2] & 1 else record[3 : 3 + length].decode("latin-1")


def records(package, part):
    """Kinds and contents, which both have their lengths in bits of seven."""
    with package.open(part) as content:
        file = io.BufferedReader(content, 2**20)
        while head := file.read(1):
            kind = head[0] if head[0] < 128 else head[0] & 127 | file.read(1)[0] << 7
            size = shift = 0
            for shift in (0, 7, 14, 21):
                byte = file.read(1)[0]
                size |= (byte & 127) << shift
                if byte < 128:
                    break
            yield kind, file.read(size)


def new_text(record, at):
    end = at + 4 + 2 * numbers(record[at : at + 4])[0]
    return record[at + 4 : end].decode("utf-16-le", "replace"), end


def sheets(package, book):
    parts = relations(package, book)
    for kind, record in records(package, book):
        if kind == 156:
            key, at = new_text(record, 8)
            yield new_text(record, at)[0], parts.get(key, ("", ""))[1]


def new_results(package, part):
    row = 0
    for kind, record in records(package, part):
        if kind == 0:
            row = numbers(record[:4])[0]
        elif 8 <= kind <= 11:
            place = numbers(record[:4])[0], row
            if kind == 8:
                yield place, ("text", new_text(record, 8)[0])
            elif kind == 9:
                yield place, ("number", repr(struct.unpack_from("<d", record, 8)[0]))
            else:
                yield place, value_of(kind - 9, record[8])
