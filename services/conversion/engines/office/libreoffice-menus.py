"""Apple Numbers stores the choice in a pop-up menu as its number, which is all that the office reads.

Numbers keeps lists of choices in `Index/Tables/DataList*.iwa`: Snappy blocks of protobuf messages, each with a type.
"""
import re
import zipfile

LIST = re.compile(r"Index/Tables/DataList[^/]*\.iwa$")
# TST.PopUpMenuModel
MENU = 6206
# Of all lists together, unpacked.
MAX_BYTES = 8_000_000


def has_menus(path):
    """Whether a table of the document has a pop-up menu with texts. False if that cannot be read: the office could read the rest."""
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(path) as package:
            for entry in package.infolist():
                if not LIST.match(entry.filename) or entry.file_size > left:
                    continue
                data = unpacked(package.read(entry), left)
                left -= max(len(data), entry.file_size)
                if is_menu(data):
                    return True
    except Exception:
        pass
    return False


def is_menu(data):
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        messages = [dict(fields(value)) for number, value in fields(data[at : at + length]) if number == 2]
        at += length
        for message in messages:
            body = data[at : at + message[3]]
            at += message[3]
            # Field 2 repeats: one choice each, of which field 5 is a text.
            if message[1] == MENU and any(number == 2 and 5 in dict(fields(choice)) for number, choice in fields(body)):
                return True
    return False


def unpacked(blocks, left):
    """Each block is a zero, its length in three bytes, and Snappy without the framing of its specification."""
    parts, at = [], 0
    while at + 4 <= len(blocks) and left > 0:
        length = int.from_bytes(blocks[at + 1 : at + 4], "little")
        parts.append(snappy(blocks[at + 4 : at + 4 + length], left))
        left -= len(parts[-1])
        at += 4 + length
    return b"".join(parts)


def snappy(block, most):
    """@see https://github.com/google/snappy/blob/main/format_description.txt"""
    _, at = varint(block, 0)
    out = bytearray()
    while at < len(block) and len(out) <= most:
        tag, at = block[at], at + 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                length, at = int.from_bytes(block[at : at + length - 59], "little"), at + length - 59
            out += block[at : at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset, at = (tag >> 2 & 7) + 4, tag >> 5 << 8 | block[at], at + 1
        else:
            size = 2 if tag & 3 == 2 else 4
            length, offset, at = (tag >> 2) + 1, int.from_bytes(block[at : at + size], "little"), at + size
        for _ in range(length):
            out.append(out[-offset])
    return bytes(out)


def varint(data, at):
    value = 0
    # At most ten bytes: an endless number would grow with the file, and each step would take longer.
    for shift in range(0, 70, 7):
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("endless number")


def fields(message):
    """Numbers and values; fixed-size values are of no use here."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(message, at)
        elif kind == 2:
            length, at = varint(message, at)
            value, at = message[at : at + length], at + length
        else:
            value, at = None, at + (8 if kind == 1 else 4)
        yield key >> 3, value
