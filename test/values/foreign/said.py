"""Representation of values for every reader and writer here: text is {"t"},
a number {"n"} with all its digits, bytes {"b"}, a date or time {"s"}."""
import base64
import datetime
import decimal
import uuid

decimal.getcontext().prec = 2000


def number(value):
    """An exact decimal: digits and exponent, without insignificant zeros."""
    if isinstance(value, float):
        if value != value:
            return {"n": "nan"}
        if value in (float("inf"), float("-inf")):
            return {"n": "inf" if value > 0 else "-inf"}
        value = decimal.Decimal(repr(value))
    value = decimal.Decimal(value)
    if not value.is_finite():
        return {"n": str(value).lower().replace("infinity", "inf")}
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    bare = text.rstrip("0")
    if bare == "":
        return {"n": "-0" if sign else "0"}
    exponent += len(text) - len(bare)
    return {"n": f"{'-' if sign else ''}{bare}{f'e{exponent}' if exponent else ''}"}


def stamp(value):
    text = value.isoformat()
    if isinstance(value, (datetime.datetime, datetime.time)):
        text = text.replace("+00:00", "Z")
        if "." in text:
            head, _, tail = text.partition(".")
            zone = tail.lstrip("0123456789")
            part = tail[: len(tail) - len(zone)].rstrip("0")
            text = f"{head}{'.' + part if part else ''}{zone}"
    return {"s": text}


class Stamped(str):
    """A date or time as text."""


def said(value):
    """From a library's value."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"s" if isinstance(value, Stamped) else "t": value}
    if isinstance(value, (int, float, decimal.Decimal)):
        return number(value)
    if isinstance(value, (bytes, bytearray)):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, (datetime.date, datetime.time)):
        return stamp(value)
    if isinstance(value, datetime.timedelta):
        return {"s": f"PT{value.total_seconds():g}S"}
    if isinstance(value, uuid.UUID):
        return {"t": str(value)}
    if isinstance(value, dict):
        return {"m": [[name if isinstance(name, str) else str(name), said(each)] for name, each in value.items()]}
    if isinstance(value, (list, tuple)):
        return [said(each) for each in value]
    return {"?": f"{type(value).__name__} {value}"}


def exact(text):
    """As a Python number: a float if the digits require one."""
    if text in ("nan", "inf", "-inf", "-0"):
        return float(text)
    value = decimal.Decimal(text)
    if value == value.to_integral_value() and "e-" not in text and abs(value.adjusted()) < 60:
        return int(value)
    return float(text) if decimal.Decimal(repr(float(text))) == value and float(text) not in (float("inf"), float("-inf")) else value


def time_of(text):
    text = text.replace("Z", "+00:00")
    if "T" in text:
        return datetime.datetime.fromisoformat(text)
    return datetime.time.fromisoformat(text) if ":" in text else datetime.date.fromisoformat(text)


def plain(value, tame):
    """As a Python library accepts it; `tame` replaces numbers, bytes and times for which the format has no type."""
    if value is None or isinstance(value, bool):
        return tame(value)
    if isinstance(value, list):
        return [plain(each, tame) for each in value]
    if "m" in value:
        return {name: plain(each, tame) for name, each in value["m"]}
    if "t" in value:
        return value["t"]
    if "n" in value:
        return tame(exact(value["n"]))
    return tame(base64.b64decode(value["b"])) if "b" in value else tame(time_of(value["s"]))
