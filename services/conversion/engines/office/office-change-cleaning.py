"""Removes comments and personal metadata from an office package."""
from office_packages import MANIFEST, OpenPackage, local, walk

# By the last segment of a relationship's type.
COMMENTS = {
    "comments", "threadedcomment", "person", "commentsextended", "commentsids", "commentsextensible", "people", "commentauthors", "authors",
}
DESCRIPTIONS = {"core-properties", "extended-properties", "custom-properties", "thumbnail", "people", "printersettings"}
# Elements that anchor a comment in the text.
MARKS = {"commentRangeStart", "commentRangeEnd", "commentReference", "commentRel"}
WORDPROCESSING = ("wordprocessingml", "office/word")
# Attributes with names of people, by element; those of Word's tracked changes occur on many elements.
NAMES = {
    "cmAuthor": {"name": "Author", "initials": "A"},
    "author": {"name": "Author", "initials": "A", "userId": "Author"},
    "person": {"displayName": "Author", "userId": "Author"},
}
SOMEBODY, SOMEDAY = b"Author", b"1970-01-01T00:00:00"


def clean(package, changes):
    has_relations = isinstance(package, OpenPackage)
    if changes.get("comments") == "strip":
        (without_comments if has_relations else without_annotations)(package)
    if changes.get("metadata") == "strip":
        (undescribed if has_relations else undescribed_odf)(package)
        from office_pictures import strip_pictures

        strip_pictures(package)


def without_comments(package):
    relations = package.all_relations()
    gone = {target for _, _, kind, target in relations if kind in COMMENTS and target is not None}
    holders = {source for source, _, kind, _ in relations if kind in COMMENTS}
    package.drop(gone & set(package.names()))
    # Word's footnotes are separate parts that also refer to comments.
    texts = {name for name in package.names() if name.startswith("word/") and name.endswith(".xml")} | holders
    for name in texts & set(package.names()):
        package.edit_tags(name, lambda element, attributes: "cut" if local(element) in MARKS else None)
    for source, identity, kind, target in relations:
        if kind == "vmldrawing" and source in holders and package.has(target):
            without_notes(package, source, identity, target)


def without_notes(package, sheet, identity, drawing):
    """Removes the boxes in which a sheet's comments are shown."""
    content, edits, left, notes = package.markup(drawing), [], [0], []

    def on_start(element, attributes, begin, end):
        if local(element) == "ClientData" and attributes.get("ObjectType") == "Note":
            notes.append(begin)

    def on_end(element, attributes, begin, end):
        if local(element) != "shape":
            return
        if any(begin < note < end for note in notes):
            edits.append((begin, end, b""))
        else:
            left[0] += 1
        notes.clear()

    walk(content, on_start, on_end)
    if left[0] > 0:
        package.edit(drawing, edits, content)
        return
    package.drop({drawing})
    package.edit_tags(sheet, lambda element, attributes: "cut" if local(element) == "legacyDrawing" and identity in attributes.values() else None)


def is_annotation(element):
    space, _, name = element.rpartition(" ")
    return space.endswith("opendocument:xmlns:office:1.0") and name in ("annotation", "annotation-end")


def without_annotations(package):
    for name in package.contents():
        package.edit_tags(name, lambda element, attributes: "cut" if is_annotation(element) else None)


def undescribed(package):
    relations = package.all_relations()
    package.drop({target for _, _, kind, target in relations if kind in DESCRIPTIONS and package.has(target)})
    for source, identity, kind, _ in relations:
        if kind == "printersettings" and package.has(source):
            package.edit_tags(source, lambda element, attributes: {"id": None} if local(element) == "pageSetup" else None)
        elif kind == "attachedtemplate" and package.has(source):
            package.edit_tags(source, lambda element, attributes: "cut" if local(element) == "attachedTemplate" else None)
            package.drop_relations({source: {identity}})
    for name in package.names():
        if name.endswith(".xml") and name.startswith(("word/", "ppt/", "xl/")):
            package.edit_tags(name, nameless)
        if "/comments" in name and name.startswith("xl/"):
            retold(package, name, lambda element: SOMEBODY if local(element) == "author" else None)


def nameless(element, attributes):
    space, _, name = element.rpartition(" ")
    if name in ("absPath", "fileSharing") and "spreadsheetml" in space:
        return "cut" if name == "absPath" else {"userName": "Author"}
    if any(word in space for word in WORDPROCESSING):
        own = {local(key) for key in attributes}
        return {key: value for key, value in (("author", "Author"), ("initials", "A"), ("date", None), ("dateUtc", None)) if key in own}
    values = NAMES.get(name, {}) if attributes else {}
    return {key: value for key, value in values.items() if key in attributes}


def retold(package, name, told):
    """Replaces the text of elements for which `told` returns one."""
    content, edits = package.markup(name), []

    def on_end(element, attributes, begin, end):
        text = told(element)
        if text is None:
            return
        inner = content.index(b">", begin) + 1
        if inner < end:
            edits.append((inner, content.rindex(b"<", begin, end), text))

    walk(content, on_end=on_end)
    package.edit(name, edits, content)


def undescribed_odf(package):
    empty = b'<?xml version="1.0" encoding="UTF-8"?><office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2"><office:meta/></office:document-meta>'
    for name in package.names():
        if name.rpartition("/")[2] == "meta.xml":
            package.changed[name] = empty
    package.drop({name for name in package.names() if name.startswith("Thumbnails/") and name != MANIFEST})
    for name in package.contents():
        retold(package, name, stranger)
    for name in package.names():
        if name.rpartition("/")[2] == "settings.xml":
            package.edit_tags(name, lambda element, attributes: "cut" if "Printer" in next((value for key, value in attributes.items() if local(key) == "name"), "") and local(element) == "config-item" else None)


def stranger(element):
    space, _, name = element.rpartition(" ")
    if space.startswith("http://purl.org/dc/"):
        return {"creator": SOMEBODY, "date": SOMEDAY}.get(name)
    return b"A" if name in ("sender-initials", "creator-initials") else None
