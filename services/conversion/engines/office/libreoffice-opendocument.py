"""Prepares OpenDocument spreadsheets for the office, which drops tabs and line breaks
in cells, and reads dates, times and booleans without a cell style as plain numbers."""
import re
import zipfile

from packages import DAMAGED, outside, write_changed

PARTS, SETTINGS = "content.xml", "settings.xml"
BREAK = re.compile(rb"<text:(tab|line-break)\b[^<>]*/>")
CELL = re.compile(rb"<table:(?:covered-)?table-cell\b[^<>]*>")
TYPE = re.compile(rb"""\soffice:value-type=["'](date|time|boolean)["']""")
STYLED = re.compile(rb"""\stable:style-name=""")
# If columns or rows define a style, it applies to cells without one.
DEFAULT_STYLES = re.compile(rb"""\stable:default-cell-style-name=["'](?!Default["'])""")
VALUE = re.compile(rb"""\soffice:(?:date|time)-value=["']([^"'<>]*)""")
AUTOMATIC = re.compile(rb"<office:automatic-styles\b[^<>]*?(/?)>")
NAMES = b' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"'


def long(*names):
    return b"".join(b'<number:%s number:style="long"/>' % name if len(name) > 1 else b"<number:text>%s</number:text>" % name for name in names)


DAY = long(b"year", b"-", b"month", b"-", b"day")
CLOCK = long(b"hours", b":", b"minutes", b":", b"seconds")
FINE_CLOCK = CLOCK.replace(b"<number:seconds", b'<number:seconds number:decimal-places="3"')
# Number styles by kind: what they show, and whether the value may exceed a day.
STYLES = {
    b"day": (b"date-style", DAY, False),
    b"moment": (b"date-style", DAY + long(b" ") + CLOCK, False),
    b"fine-moment": (b"date-style", DAY + long(b" ") + FINE_CLOCK, False),
    b"clock": (b"time-style", CLOCK, False),
    b"fine-clock": (b"time-style", FINE_CLOCK, False),
    b"length": (b"time-style", CLOCK, True),
    b"fine-length": (b"time-style", FINE_CLOCK, True),
    b"truth": (b"boolean-style", b"<number:boolean/>", False),
}


def style_of(kind, value):
    fine = b"fine-" if b"." in value else b""
    if kind == b"boolean":
        return b"truth"
    if kind == b"date":
        return fine + b"moment" if b"T" in value else b"day"
    hours = re.match(rb"PT(\d+)H", value)
    return fine + (b"clock" if hours is not None and int(hours[1]) < 24 else b"length")


def definition(name):
    kind, shown, is_open = STYLES[name]
    overflow = b' number:truncate-on-overflow="false"' if is_open else b""
    number = b'<number:%s%s style:name="filemill-n-%s"%s>%s</number:%s>' % (kind, NAMES, name, overflow, shown, kind)
    return number + b'<style:style%s style:name="filemill-%s" style:family="table-cell" style:data-style-name="filemill-n-%s"/>' % (NAMES, name, name)


def whole(content):
    """The document's XML, fixed for the office."""
    # Text inside CDATA may look like tags.
    if b"<![CDATA[" in content:
        return content
    content = BREAK.sub(lambda tag: b"&#9;" if tag[1] == b"tab" else b"&#10;", content)
    if DEFAULT_STYLES.search(content):
        return content
    used = set()

    def styled(tag):
        kind = TYPE.search(tag[0])
        if kind is None or STYLED.search(tag[0]):
            return tag[0]
        value = VALUE.search(tag[0])
        name = style_of(kind[1], value[1] if value else b"")
        used.add(name)
        end = -2 if tag[0].endswith(b"/>") else -1
        return tag[0][:end] + b' table:style-name="filemill-%s"' % name + tag[0][end:]

    styled_content = CELL.sub(styled, content)
    if not used:
        return content
    definitions = b"".join(map(definition, sorted(used)))
    place = AUTOMATIC.search(styled_content)
    if place is None:
        body = styled_content.find(b"<office:body")
        if body < 0:
            return content
        return styled_content[:body] + b"<office:automatic-styles>" + definitions + b"</office:automatic-styles>" + styled_content[body:]
    opening = place[0] if place[1] == b"" else place[0].replace(b"/>", b">")
    closing = b"" if place[1] == b"" else b"</office:automatic-styles>"
    return styled_content[: place.start()] + opening + definitions + closing + styled_content[place.end() :]


# Formulas whose results the office computes while it reads them, unless the document says that it must not.
MOVING = re.compile(rb"\b(?:NOW|TODAY|RAND|RANDBETWEEN|OFFSET|INDIRECT|CELL|INFO)\(")
AUTOMATIC_RESULTS = re.compile(rb'(<config:config-item config:name="AutoCalculate" config:type="boolean">)true')


def manual(content):
    """The document or its settings, with which the office computes nothing by itself."""
    return AUTOMATIC_RESULTS.sub(rb"\1false", content)


def readable(path, copy):
    """The path for the office to read, `copy` if the file had to be changed; and whether it no longer computes by itself."""
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            content = file.read()
        if b"<office:document" not in content[:4096]:
            return path, False
        changed = whole(content)
        held = manual(changed) if MOVING.search(content) else changed
        if held == content:
            return path, False
        with open(copy, "wb") as file:
            file.write(held)
        return copy, held != changed
    try:
        with zipfile.ZipFile(path) as package:
            content = package.read(PARTS)
            parts = {PARTS: whole(outside(content))}
            settings = package.read(SETTINGS) if SETTINGS in package.namelist() else b""
            held = manual(settings) if MOVING.search(content) else settings
            if held != settings:
                parts[SETTINGS] = held
            elif parts[PARTS] == content:
                return path, False
            write_changed(package, copy, parts, 1)
        return copy, held != settings
    except DAMAGED:
        return path, False
