"""Trees of values, read and written by Python's own libraries, or by code here where there is none."""
import configparser
import datetime
import decimal
import json
import math
import plistlib
import re
import tomllib
import xml.etree.ElementTree as elements

import bson
import cbor2
import msgpack
import yaml
from bson.binary import Binary
from bson.codec_options import CodecOptions
from bson.decimal128 import Decimal128
from bson.int64 import Int64
from said import plain, said


class Pairs(list):
    """Members of a map, in which names may repeat."""


def of_pairs(value):
    if isinstance(value, Pairs):
        return {"m": [[name, of_pairs(each)] for name, each in value]}
    return [of_pairs(each) for each in value] if isinstance(value, list) else said(value)


def read_json(text):
    return of_pairs(
        json.loads(
            text,
            object_pairs_hook=Pairs,
            parse_float=decimal.Decimal,
            parse_int=lambda digits: -0.0 if digits == "-0" else int(digits),
        )
    )


def digits_of(value):
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else json.dumps(str(value))
    return str(value)


def json_of(value):
    """JSON with all digits."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {json_of(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_of, value)) + "]"
    if isinstance(value, (float, decimal.Decimal)):
        return digits_of(value)
    return json.dumps(value, ensure_ascii=False)


def quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_of(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)} = {toml_of(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_of, value)) + "]"
    if isinstance(value, float):
        return repr(value).replace("e", ".0e", 1) if re.fullmatch(r"-?\d+e.*", repr(value)) else repr(value)
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value) if isinstance(value, (bool, int)) else value.isoformat()


def xml_of(value, name="root"):
    """Each map becomes an element, each list several elements of one name."""
    made = elements.Element(name)
    if isinstance(value, dict):
        for key, each in value.items():
            for one in each if isinstance(each, list) else [each]:
                made.append(xml_of(one, re.sub(r"\W", "_", "x" + key)))
    elif isinstance(value, list):
        for one in value:
            made.append(xml_of(one, "item"))
    else:
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else digits_of(value) if isinstance(value, float) else str(value)
        made.text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "", text)
    return made


def read_element(element):
    children = list(element)
    if not children and not element.attrib:
        return {"t": element.text or ""}
    names = {}
    for key, text in element.attrib.items():
        names["@" + key] = {"t": text}
    for child in children:
        found = read_element(child)
        if child.tag in names:
            names[child.tag] = [*(names[child.tag] if isinstance(names[child.tag], list) else [names[child.tag]]), found]
        else:
            names[child.tag] = found
    return {"m": [[name, each] for name, each in names.items()]}


def only(*kinds):
    """Values of other types become text."""
    return lambda value: value if isinstance(value, kinds) else "" if value is None else str(value)


NOTHING = type(None)


def within(bits, *kinds):
    def tame(value):
        if isinstance(value, int) and not isinstance(value, bool) and not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            return str(value)
        return only(*kinds)(value)

    return tame


def bson_of(value):
    def tame(value):
        if isinstance(value, decimal.Decimal):
            return Decimal128(value.normalize(decimal.Context(prec=34)))
        if isinstance(value, int) and not isinstance(value, bool):
            return Int64(value) if -(2**63) <= value < 2**63 else str(value)
        return only(NOTHING, bool, float, Binary, bytes)(value)

    return tame(value)


def write_settings(said_value, path, separator, escape=str):
    groups = plain(said_value, only(str))
    with open(path, "w", encoding="utf-8") as file:
        for name, group in groups.items():
            if isinstance(group, dict):
                file.write(f"[{name}]\n")
                file.writelines(f"{key}{separator}{escape(text)}\n" for key, text in group.items())
            else:
                file.write(f"{name}{separator}{escape(group)}\n")


def property_text(text):
    return "".join(
        "\\" + letter if letter in "\\=:#! " else letter if " " < letter < "\x7f" else "".join(f"\\u{unit:04x}" for unit in units(letter)) for letter in text
    )


def units(letter):
    raw = letter.encode("utf-16-be", "surrogatepass")
    return [raw[at] * 256 + raw[at + 1] for at in range(0, len(raw), 2)]


def write_properties(given, path):
    """Sections become part of the names."""
    pairs = [(name, value) for name, value in plain(given, only(str)).items()]
    flat = [(f"{name}.{key}", text) for name, value in pairs if isinstance(value, dict) for key, text in value.items()]
    with open(path, "w", encoding="ascii") as file:
        for name, text in [pair for pair in pairs if isinstance(pair[1], str)] + flat:
            file.write(f"{property_text(name)}={property_text(text)}\n")


def write(kind, given, path):
    if kind in ("json", "json5", "ndjson"):
        value = plain(given, only(NOTHING, bool, int, float, decimal.Decimal))
        text = "".join(json_of(each) + "\n" for each in value) if kind == "ndjson" else json_of(value)
        if kind == "json5":
            text = "// a comment\n" + text
        raw = text.encode("utf-8", "surrogatepass")
    elif kind == "yaml":
        value = plain(given, only(NOTHING, bool, int, float, bytes))
        # Line ends of YAML 1.1 that are letters in 1.2.
        # Numbers of YAML 1.2 that are texts in 1.1, too.
        texts = json.dumps(given, ensure_ascii=False) + str(value)
        style = {"default_style": '"'} if re.search("[\x85\u2028\u2029]|\\d[eE]|0o", texts) else {"allow_unicode": True}
        raw = yaml.safe_dump(value, sort_keys=False, **style).encode()
    elif kind == "toml":
        value = plain(given, within(64, bool, int, float))
        rows = value if isinstance(value, dict) else {"rows": value}
        raw = "".join(f"{quoted(name)} = {toml_of(each)}\n" for name, each in rows.items()).encode()
    elif kind == "plist":
        raw = plistlib.dumps(plain(given, within(64, bool, int, float, bytes)), sort_keys=False)
    elif kind == "msgpack":
        raw = msgpack.packb(plain(given, within(64, NOTHING, bool, int, float, bytes)))
    elif kind == "cbor":
        raw = cbor2.dumps(plain(given, lambda value: value), timezone=datetime.timezone.utc, date_as_datetime=False)
    elif kind == "bson":
        value = plain(given, bson_of)
        raw = b"".join(map(bson.encode, value if isinstance(value, list) else [value]))
    elif kind == "xml":
        raw = elements.tostring(xml_of(plain(given, lambda value: value)), "utf-8", xml_declaration=True)
    elif kind == "ini":
        return write_settings(given, path, " = ")
    else:
        return write_properties(given, path)
    with open(path, "wb") as file:
        file.write(raw)


def read_ini(text):
    parser = configparser.RawConfigParser(interpolation=None, strict=True, comment_prefixes=("#", ";"), delimiters=("=",))
    parser.optionxform = str
    parser.read_string("[\x01]\n" + text)
    top = [[name, {"t": unquoted(value)}] for name, value in parser["\x01"].items()]
    return {"m": top + [[name, {"m": [[key, {"t": unquoted(value)}] for key, value in parser[name].items()]}] for name in parser.sections()[1:]]}


def unquoted(text):
    """Many readers strip quotation marks around a value."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def unescaped(text):
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda found: chr(int(found[1][1:], 16)) if len(found[1]) > 1 else ESCAPES.get(found[1], found[1]), text)


def read_properties(text):
    text = re.sub(r"(?m)(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", text)
    pairs = []
    for line in re.split(r"\r\n|\r|\n", text):
        line = line.lstrip(" \t\f")
        if line == "" or line[0] in "#!":
            continue
        name, value = re.fullmatch(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.S).groups()
        pairs.append([unescaped(name), {"t": unescaped(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")}])
    return {"m": pairs}


class ExactLoader(yaml.SafeLoader):
    """YAML 1.1 with all digits."""


def exact_float(loader, node):
    text = loader.construct_scalar(node).replace("_", "").lower()
    return loader.construct_yaml_float(node) if re.search(r"inf|nan|:", text) or decimal.Decimal(text) == 0 else decimal.Decimal(text)


ExactLoader.add_constructor("tag:yaml.org,2002:float", exact_float)


def read_yaml(raw):
    documents = list(yaml.load_all(raw, Loader=ExactLoader))
    return said(documents[0] if len(documents) == 1 else documents)


def read(kind, path):
    with open(path, "rb") as file:
        raw = file.read()
    if kind == "json":
        return read_json(raw.decode("utf-8-sig"))
    if kind == "ndjson":
        return [read_json(line) for line in raw.decode().split("\n") if line.strip()]
    if kind == "yaml":
        return read_yaml(raw)
    if kind == "toml":
        return said(tomllib.loads(raw.decode(), parse_float=float))
    if kind == "plist":
        return property_said(elements.fromstring(raw)[0])
    if kind == "msgpack":
        return said(msgpack.unpackb(raw, timestamp=3, strict_map_key=False))
    if kind == "cbor":
        return said(cbor2.loads(raw))
    if kind == "bson":
        documents = [said(bare(each)) for each in bson.decode_all(raw, CodecOptions(tz_aware=True))]
        return documents
    if kind == "xml":
        root = elements.fromstring(raw)
        return {"m": [[root.tag, read_element(root)]]}
    return read_ini(raw.decode("utf-8-sig")) if kind == "ini" else read_properties(raw.decode("latin-1"))


def property_said(element):
    """With all digits, which plistlib would round."""
    kind, text = element.tag, element.text or ""
    if kind == "dict":
        return {"m": [[key.text or "", property_said(value)] for key, value in zip(element[::2], element[1::2])]}
    if kind == "array":
        return [property_said(each) for each in element]
    if kind in ("integer", "real"):
        return said(decimal.Decimal(text) if re.fullmatch(r"[-+.\deE]+", text) else float(text))
    if kind == "data":
        return {"b": "".join(text.split())}
    return {"s": text} if kind == "date" else {"t": text} if kind == "string" else kind == "true"


def bare(value):
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items()}
    if isinstance(value, list):
        return [bare(each) for each in value]
    return value.to_decimal() if isinstance(value, Decimal128) else bytes(value) if isinstance(value, Binary) else value
