"""Contacts: written according to vCard 2.1, 3.0 and 4.0, read by vobject; also pages and texts made from them.

A card is a list of {"name", "types", "value"}; a value is a list of parts (of a name, an address), each a list of texts."""
import html.parser
import quopri

import vobject

KINDS = {"vcf", "html", "txt"}
STRUCTURED = {"N": 5, "ADR": 7, "ORG": 0}


def fields(said):
    return {name: each for name, each in said["m"]}


def escaped(text):
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\r\n", "\n").replace("\n", "\\n")


def folded(line):
    """At most 75 octets per line, folded between characters, as RFC 6350 §3.2 requires."""
    made, size = [], 0
    for letter in line:
        octets = len(letter.encode())
        if size + octets > 75:
            made.append("\r\n ")
            size = 1
        made.append(letter)
        size += octets
    return "".join(made)


def old_line(name, types, parts):
    """For vCard 2.1: types without a parameter name, and non-ASCII text as quoted-printable."""
    head = name + "".join(f";{each.upper()}" for each in types)
    is_structured = name in STRUCTURED
    value = ";".join(",".join(part).replace(";", "\\;") if is_structured else ",".join(part) for part in parts)
    if value.isascii() and value.isprintable():
        return f"{head}:{value}"
    raw = value.replace("\r\n", "\n").replace("\n", "\r\n").encode()
    coded = quopri.encodestring(raw, quotetabs=True).replace(b"\r\n", b"\n").replace(b"=\n", b"\x00").replace(b"\n", b"=0D=0A").replace(b"\x00", b"=\r\n")
    return f"{head};CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{coded.decode()}"


def write(kind, value, path):
    of = fields(value)
    version = of["version"]["t"]
    lines = []
    for card in of["cards"]:
        lines += ["BEGIN:VCARD", f"VERSION:{version}"]
        for entry in map(fields, card):
            name, types = entry["name"]["t"], [each for each in entry["types"]["t"].split(",") if each]
            parts = [[each["t"] for each in part] for part in entry["value"]]
            if version == "2.1":
                lines.append(old_line(name, types, parts))
                continue
            kinds = f";TYPE={','.join(types)}" if version == "3.0" else f';TYPE="{",".join(types)}"'
            lines.append(folded(f"{name}{kinds if types else ''}:{';'.join(','.join(map(escaped, part)) for part in parts)}"))
        lines.append("END:VCARD")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("\r\n".join(lines) + "\r\n")


def several(value):
    return [{"t": each.replace("\r\n", "\n")} for each in (value if isinstance(value, list) else [value])]


def parts_of(child):
    value = child.value
    if child.name == "N":
        return [several(each) for each in (value.family, value.given, value.additional, value.prefix, value.suffix)]
    if child.name == "ADR":
        return [several(each) for each in (value.box, value.extended, value.street, value.city, value.region, value.code, value.country)]
    if child.name == "ORG":
        return [several(each) for each in value]
    return [several(value)]


def types_of(child):
    named = [each for given in child.params.get("TYPE", []) for each in given.split(",")]
    return ",".join(each.lower() for each in [*child.singletonparams, *named])


def read_cards(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    cards = []
    for card in vobject.readComponents(text, allowQP=True):
        said = [(child.name, types_of(child), parts_of(child)) for child in card.getChildren() if child.name != "VERSION"]
        cards.append([{"m": [["name", {"t": name}], ["types", {"t": types}], ["value", parts]]} for name, types, parts in said])
    return cards


class Rows(html.parser.HTMLParser):
    """Tables of names and values, one record each."""

    def __init__(self):
        super().__init__()
        self.records, self.row, self.text = [], [], None

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.records.append([])
        elif tag in ("th", "td"):
            self.text = []

    def handle_data(self, data):
        if self.text is not None:
            self.text.append(data)

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self.row.append("".join(self.text))
            self.text = None
        elif tag == "tr":
            name, value = self.row
            self.records[-1].append([name[:1].lower() + name[1:], {"t": value}])
            self.row = []


def read_page(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = Rows()
        rows.feed(file.read())
        return [{"m": each} for each in rows.records]


def read_text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {"t": file.read()}


def read(kind, path):
    return {"vcf": read_cards, "html": read_page, "txt": read_text}[kind](path)
