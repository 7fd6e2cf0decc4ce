"""Calendars: written according to iCalendar (RFC 5545), read by icalendar.

An entry is {"name", "properties", "entries"}, a property {"name", "zone", "values"}."""
import datetime

import icalendar
from cards import escaped, fields, folded

KINDS = {"ics"}
# Non-text values are written as they are.
PLAIN = {
    *"DTSTART DTEND DUE DTSTAMP EXDATE RDATE RECURRENCE-ID RRULE DURATION TRIGGER UID STATUS URL GEO PRIORITY SEQUENCE CREATED".split(),
    *"PERCENT-COMPLETE ORGANIZER ATTENDEE ACTION COMPLETED".split(),
}


def lines_of(entry):
    of = fields(entry)
    name = of["name"]["t"]
    yield f"BEGIN:{name}"
    for each in map(fields, of["properties"]):
        key, zone = each["name"]["t"], each["zone"]["t"]
        values = [value["t"] for value in each["values"]]
        is_day = values[0].isdigit() and len(values[0]) == 8 and key in PLAIN
        parameters = (f";TZID={zone}" if zone else "") + (";VALUE=DATE" if is_day else "")
        yield f"{key}{parameters}:{','.join(values if key in PLAIN else map(escaped, values))}"
    for each in of["entries"]:
        yield from lines_of(each)
    yield f"END:{name}"


def write(kind, value, path):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//y//EN", *(line for entry in value for line in lines_of(entry)), "END:VCALENDAR"]
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("".join(f"{folded(line)}\r\n" for line in lines))


def moment(value):
    if isinstance(value, datetime.datetime):
        is_universal = value.tzinfo is not None and str(value.tzinfo) in ("UTC", "tzutc()")
        return value.replace(tzinfo=None).isoformat() + ("Z" if is_universal else "")
    if isinstance(value, datetime.timedelta):
        return icalendar.vDuration(value).to_ical().decode()
    return value.isoformat() if not isinstance(value, tuple) else "/".join(map(moment, value))


def values_of(value):
    if isinstance(value, icalendar.prop.vDDDLists):
        return [moment(each.dt) for each in value.dts]
    if isinstance(value, icalendar.vDDDTypes):
        return [moment(value.dt)]
    if isinstance(value, icalendar.vDuration):
        return [value.to_ical().decode()]
    if isinstance(value, icalendar.prop.vCategory):
        return [str(each) for each in value.cats]
    if isinstance(value, icalendar.vRecur):
        return [value.to_ical().decode()]
    if isinstance(value, icalendar.vGeo):
        return [f"{value.latitude};{value.longitude}"]
    return [str(value)]


def said(entry):
    properties = []
    for name, values in entry.items():
        for value in values if isinstance(values, list) else [values]:
            zone = getattr(value, "params", {}).get("TZID", "")
            texts = [{"t": each} for each in values_of(value)]
            properties.append({"m": [["name", {"t": name}], ["zone", {"t": zone}], ["values", texts]]})
    return {"m": [["name", {"t": entry.name}], ["properties", properties], ["entries", [said(each) for each in entry.subcomponents]]]}


def read(kind, path):
    with open(path, "rb") as file:
        return [said(each) for calendar in icalendar.Calendar.from_ical(file.read(), multiple=True) for each in calendar.subcomponents]
