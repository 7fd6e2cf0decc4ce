"""ZIP packages of documents, of which some parts change."""
import posixpath
import re
import shutil
import zipfile
import zlib
from xml.etree import ElementTree

# What damaged packages, and damaged XML in them, raise. The office may read them nevertheless, or reports what is wrong.
DAMAGED = (EOFError, LookupError, NotImplementedError, OSError, RuntimeError, ValueError, ElementTree.ParseError, zipfile.BadZipFile, zlib.error)


def write_changed(package, path, changed, level=None):
    """Copies a package with other content for some of its parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as written:
        for member in package.infolist():
            if member.filename in changed:
                written.writestr(member.filename, changed[member.filename])
            else:
                with package.open(member) as given, written.open(member, "w") as kept:
                    shutil.copyfileobj(given, kept)


OWN = re.compile(rb"""(<(?:text|draw):a\b[^<>]*?\bxlink:href=["'])(?![#/"']|\.\./|[A-Za-z][A-Za-z0-9+.-]*:)""")


def outside(content):
    """Part of an OpenDocument whose links into the package, where a reader follows none, lead beside it, as their author meant."""
    return OWN.sub(rb"\1../", content)


def told(element, name):
    """An attribute, whatever its namespace."""
    return next((value for key, value in element.items() if local(key) == name), None)


def local(name):
    return name.rpartition("}")[2]


def relations(package, part, resolves=True):
    """Types and targets by id."""
    folder, name = posixpath.split(part)
    root = ElementTree.fromstring(package.read(posixpath.join(folder, "_rels", name + ".rels")))
    resolved = lambda target: posixpath.normpath(posixpath.join("/", folder, target))[1:] if resolves else target
    return {each.get("Id"): (each.get("Type", ""), resolved(each.get("Target", ""))) for each in root}


def related(package, part, wanted):
    return next((target for kind, target in relations(package, part).values() if kind.endswith("/" + wanted)), "")


# Of Office Open XML; sheets may be binary.
TYPES = re.compile(r"\[Content_Types\]\.xml")
TEXTS = re.compile(r".*\.(?:xml|rels|bin)", re.I)
MOST_BYTES = 50_000_000


def may_mention(path, words, parts):
    """Whether parts of a package say something; true for a file without such parts. Takes far less time than asking the office."""
    try:
        with zipfile.ZipFile(path) as package:
            named = [name for name in package.namelist() if parts.fullmatch(name)]
            contents = (package.open(name).read(MOST_BYTES) for name in named)
            # Without the zeros, UTF-16 reads like ASCII.
            return not named or any(len(content) == MOST_BYTES or words.search(content.replace(b"\0", b"")) for content in contents)
    except DAMAGED:
        return True


def excel_sheets(package):
    """Names and parts. @see ECMA-376 part 1, 18.2"""
    book = related(package, "", "officeDocument")
    targets = relations(package, book)
    for element in ElementTree.fromstring(package.read(book)).iter():
        if local(element.tag) == "sheet":
            yield element.get("name"), targets.get(told(element, "id"), ("", ""))[1]
