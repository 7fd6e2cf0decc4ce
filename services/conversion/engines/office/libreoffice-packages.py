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
TYPES_NAME = "[Content_Types].xml"
TYPES = re.compile(re.escape(TYPES_NAME))
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


# By these names, others find the parts of a Word document; the standard lets a writer choose any.
NAMED = ("styles", "numbering", "footnotes", "endnotes", "comments")
TARGET = re.compile(rb"""(<(?:\w+:)?Relationship\s(?:[^<>]*?\s)?)Target\s*=\s*(["'])([^"'<>]*)\2([^<>]*>)""")
PART_NAME = re.compile(rb"""(\sPartName\s*=\s*["'])/([^"'<>]*)""")


def relations_of(part):
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", name + ".rels")


def moved_parts(package):
    """Usual names of the parts of a Word document that have others."""
    main = related(package, "", "officeDocument")
    usual = {main: "word/document.xml"}
    if relations_of(main) in package.namelist():
        for place, (kind, target) in enumerate(relations(package, main).values()):
            kind = kind.rpartition("/")[2]
            if kind in NAMED:
                usual[target] = "word/%s.xml" % kind
            elif kind in ("header", "footer") and not re.fullmatch(r"word/(?:header|footer)\d*\.xml", target):
                usual[target] = "word/%s%d.xml" % (kind, 1000 + place)
    return {name: wanted for name, wanted in usual.items() if name != wanted and name in package.namelist()}


def with_targets(content, part, moved):
    """Relationships of a part, with targets that hold wherever it is."""

    def told_again(found):
        start, quote, target, end = found.groups()
        if b"External" in start + end:
            return found[0]
        name = posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target.decode()))[1:]
        if name not in moved and part not in moved:
            return found[0]
        return b"%sTarget=%s/%s%s%s" % (start, quote, moved.get(name, name).encode(), quote, end)

    return TARGET.sub(told_again, content)


def usual_names(path, copy):
    """The path of a Word document whose parts have their usual names: `copy` if they had others."""
    try:
        with zipfile.ZipFile(path) as package:
            moved = moved_parts(package)
            if not moved:
                return path
            names, taken = package.namelist(), set(moved.values())
            parts = {relations_of(part): part for part in ["", *names] if relations_of(part) in names}
            with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
                for name in names:
                    content, owner = package.read(name), parts.get(name)
                    if owner is not None:
                        content, wanted = with_targets(content, owner, moved), relations_of(moved.get(owner, owner))
                    else:
                        wanted = moved.get(name, name)
                    if name == TYPES_NAME:
                        content = PART_NAME.sub(lambda found: b"%s/%s" % (found[1], moved.get(found[2].decode(), found[2].decode()).encode()), content)
                    # A part of no relationship may have a usual name.
                    if (owner or name) in moved or (owner or name) not in taken:
                        written.writestr(wanted, content)
        return copy
    except DAMAGED:
        return path
