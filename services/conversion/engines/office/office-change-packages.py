"""Access to office packages: their parts, the references between them, and markup edits that leave all other bytes unchanged."""
import posixpath
import re
from urllib.parse import unquote
from xml.parsers.expat import ParserCreate
from xml.sax.saxutils import quoteattr

MANIFEST = "META-INF/manifest.xml"
TYPES = "[Content_Types].xml"
TAG = re.compile(rb"<[^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*>")


def is_markup(name):
    return name.lower().endswith((".xml", ".rels", ".vml"))


def local(name):
    return name.rpartition(" ")[2]


def utf8(content):
    """Converts to UTF-8: text offsets match byte offsets only in that encoding."""
    if content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return content
    return re.sub(r"^(<\?xml[^>]*?)\s+encoding=(\"[^\"]*\"|'[^']*')", r"\1", content.decode("utf-16")).encode()


def walk(content, on_start=None, on_end=None, on_text=None):
    """Calls back with name (`namespace local`), attributes and position: at
    the start of a tag, and at the end of an element with its content."""
    parser = ParserCreate(namespace_separator=" ")
    opened = []

    def start(name, attributes):
        begin = parser.CurrentByteIndex
        end = TAG.match(content, begin).end()
        opened.append((name, attributes, begin, end))
        if on_start is not None:
            on_start(name, attributes, begin, end)

    def finish(_):
        name, attributes, begin, end = opened.pop()
        if content[end - 2 : end] != b"/>":
            end = content.index(b">", parser.CurrentByteIndex) + 1
        if on_end is not None:
            on_end(name, attributes, begin, end)

    parser.StartElementHandler, parser.EndElementHandler = start, finish
    if on_text is not None:
        parser.CharacterDataHandler = on_text
    parser.Parse(content, True)


def spliced(content, edits):
    """`edits`: (begin, end, replacement bytes); edits nested inside another are skipped."""
    result, at = [], 0
    for begin, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if begin < at:
            continue
        result += [content[at:begin], new]
        at = end
    return b"".join([*result, content[at:]])


def with_attributes(tag, values):
    """Changes attribute values of a tag by local name; None removes the attribute."""
    text = tag.decode(errors="surrogateescape")
    for name, value in values.items():
        pattern = r"(\s(?:[\w.-]+:)?%s\s*=\s*)(\"[^\"]*\"|'[^']*')" % re.escape(name)
        if value is None:
            text = re.sub(pattern, "", text)
        else:
            quoted = quoteattr(value)
            text = re.sub(pattern, lambda match: match[1] + quoted, text)
    return text.encode(errors="surrogateescape")


class Package:
    def __init__(self, archive, parts):
        self.archive, self.parts = archive, parts
        self.changed, self.removed = {}, set()

    def source(self, name):
        return self.parts.get(name)

    def names(self):
        return [name for name in {**self.parts, **self.changed} if name not in self.removed]

    def order(self):
        """In source order, where readers find what they look for first; OpenDocument starts with its media type."""
        return sorted(self.names(), key=lambda name: name != "mimetype")

    def has(self, name):
        return name not in self.removed and (name in self.parts or name in self.changed)

    def read(self, name):
        content = self.changed.get(name)
        return self.archive.read(self.parts[name]) if content is None else content

    def markup(self, name):
        return utf8(self.read(name))

    def edit(self, name, edits, content):
        if edits:
            self.changed[name] = spliced(content, edits)

    def edit_tags(self, name, change):
        """`change(name, attributes)` returns new attribute values by local name, "cut" to remove the element, or nothing."""
        content, edits = self.markup(name), []

        def on_start(element, attributes, begin, end):
            values = change(element, attributes)
            if values and values != "cut":
                edits.append((begin, end, with_attributes(content[begin:end], values)))

        def on_end(element, attributes, begin, end):
            if change(element, attributes) == "cut":
                edits.append((begin, end, b""))

        walk(content, on_start, on_end)
        self.edit(name, edits, content)


class OpenPackage(Package):
    """Open XML (ECMA-376): parts refer to each other by relationships, which are stored in separate parts."""

    def rels_of(self, name):
        folder, base = posixpath.split(name)
        return posixpath.join(folder, "_rels", base + ".rels")

    def relations(self, name):
        """Of a part, or of the package for an empty name: (id, last segment of the type, target part or None)."""
        rels, found = self.rels_of(name), []
        if not self.has(rels):
            return found

        def on_start(element, attributes, *_):
            if local(element) != "Relationship":
                return
            target = None
            if attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", posixpath.dirname(name), unquote(attributes.get("Target", "")))).lstrip("/")
            found.append((attributes.get("Id", ""), attributes.get("Type", "").rpartition("/")[2].lower(), target))

        walk(self.markup(rels), on_start)
        return found

    def all_relations(self):
        """Each with its source part first, empty for the package."""
        folders = (name.rpartition("_rels/") for name in self.names() if name.endswith(".rels"))
        sources = [folder + base.removesuffix(".rels") for folder, _, base in folders]
        return [(source, *relation) for source in sources for relation in self.relations(source)]

    def drop_relations(self, ids):
        """By part."""
        for name, some in ids.items():
            self.edit_tags(self.rels_of(name), lambda element, attributes, some=some: "cut" if attributes.get("Id") in some else None)

    def drop(self, names):
        """Also removes the relationships to them, and parts that only they refer to."""
        relations, gone, more = self.all_relations(), set(), set(names)
        while more:
            gone |= more
            wanted = {target for source, _, _, target in relations if source not in gone}
            more = {target for source, _, _, target in relations if source in gone and target not in wanted | gone and self.has(target)}
        leading = {}
        for source, identity, _, target in relations:
            if target in gone and source not in gone:
                leading.setdefault(source, set()).add(identity)
        self.drop_relations(leading)
        self.edit_tags(TYPES, lambda element, attributes: "cut" if attributes.get("PartName", "").lstrip("/") in gone else None)
        self.removed |= gone | {self.rels_of(name) for name in gone}

    def rename(self, renamed):
        """`renamed`: old names to the new one in the same folder and the media type."""
        moved = {}
        for source, identity, _, target in self.all_relations():
            if target in renamed:
                moved.setdefault(source, {})[identity] = posixpath.basename(renamed[target][0])
        for source, bases in moved.items():
            def change(element, attributes, bases=bases):
                base = bases.get(attributes.get("Id"))
                return base and {"Target": posixpath.join(posixpath.dirname(attributes["Target"]), base)}

            self.edit_tags(self.rels_of(source), change)
        types, known, head = self.markup(TYPES), set(), []

        def on_start(element, attributes, begin, end):
            if local(element) == "Default":
                known.add(attributes.get("Extension", "").lower())
            elif not head:
                head.append((begin, end))

        walk(types, on_start)
        missing = {new.rpartition(".")[2]: mime for new, mime in renamed.values()}
        prefix = (re.match(rb"<([\w.-]+:)?", types[head[0][0] :])[1] or b"").decode()
        rows = "".join(f'<{prefix}Default Extension="{end}" ContentType="{mime}"/>' for end, mime in missing.items() if end not in known)
        self.edit(TYPES, [(head[0][1], head[0][1], rows.encode())] if rows else [], types)
        self.removed |= set(renamed)

    def typed(self):
        """The parts with a media type of their own, rather than that of their extension."""
        found = set()
        walk(self.markup(TYPES), lambda element, attributes, *_: found.add(attributes.get("PartName", "").lstrip("/")))
        return found

    def is_signed(self):
        return any(name.startswith("_xmlsignatures/") for name in self.parts)


class OpenDocument(Package):
    """OpenDocument: parts refer to each other by name, and a manifest lists them."""

    def drop(self, names):
        self.removed |= set(names)
        self.edit_tags(MANIFEST, lambda element, attributes: "cut" if path_of(attributes) in names else None)

    def rename(self, renamed):
        for name in self.contents():
            folder = posixpath.dirname(name)

            def change(element, attributes, folder=folder):
                new, _ = renamed.get(part_of(folder, attributes), (None, None))
                return new and {"href": posixpath.relpath(new, folder or ".")}

            self.edit_tags(name, change)

        def listed(element, attributes):
            new, mime = renamed.get(path_of(attributes), (None, None))
            return new and {"full-path": new, "media-type": mime}

        self.edit_tags(MANIFEST, listed)
        self.removed |= set(renamed)

    def typed(self):
        return set()

    def contents(self):
        return [name for name in self.names() if posixpath.basename(name) in ("content.xml", "styles.xml")]

    def is_signed(self):
        return "META-INF/documentsignatures.xml" in self.parts


def path_of(attributes):
    return next((value for key, value in attributes.items() if local(key) == "full-path"), None)


def part_of(folder, attributes):
    """The part that an element refers to, relative to the folder of its own part."""
    href = next((value for key, value in attributes.items() if local(key) == "href"), None)
    return None if href is None else posixpath.normpath(posixpath.join(folder, unquote(href)))


def package_of(archive, parts, damaged):
    """None if the package is too damaged to open."""
    kind = OpenPackage if TYPES in parts else OpenDocument
    package = kind(archive, parts)
    package.changed = {name: content for name, content in damaged.items() if content is not None}
    package.removed = {name for name, content in damaged.items() if content is None}
    if kind is OpenDocument:
        if "mimetype" not in parts or not package.has("content.xml"):
            return None
        if not package.has(MANIFEST):
            package.removed.discard(MANIFEST)
            package.changed[MANIFEST] = manifest_for(package)
        return package
    if not package.has(TYPES) or not package.has("_rels/.rels"):
        return None
    main = next((target for _, kind, target in package.relations("") if kind == "officedocument"), None)
    if main is None or not package.has(main):
        return None
    package.drop(package.removed)
    return package


def manifest_for(package):
    def row(path, mime):
        return f'<manifest:file-entry manifest:full-path={quoteattr(path)} manifest:media-type={quoteattr(mime)}/>'

    mime = package.read("mimetype").decode("latin-1").strip()
    rows = [row(name, "text/xml" if is_markup(name) else "") for name in package.names() if name != "mimetype"]
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    text = f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{space}" manifest:version="1.2">{row("/", mime)}{"".join(rows)}</manifest:manifest>'
    return text.encode()
