"""Keeps what Ghostscript would drop from a PDF/A: links, comments, metadata, the language.

Usage: ghostscript-archive.py prepare IN OUT [PAGES], as in 1-3,7, and ghostscript-archive.py finish PREPARED REDRAWN OUT PART (of
ISO 19005). Prints a line of JSON. Exit codes: 0 done, 3 the file is damaged, 4 it is protected, 5 there are no such pages; anything
else is a failure of this program.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

import pdf_change
import pikepdf
from pdf_prune import prune, take_names
from pdf_tags import prune_tags
from pikepdf import Array, Dictionary, Name, String

NO_PAGES = 5

# Annotation flags. @see ISO 32000-1, table 165
INVISIBLE, HIDDEN, PRINT, NO_VIEW, TOGGLE = 1, 2, 4, 32, 256
UNSEEN = INVISIBLE | HIDDEN | NO_VIEW
# Schemas that need no description of their own. @see ISO 19005-1, 6.7.3
KEPT = ("{http://purl.org/dc/elements/1.1/}", "{http://ns.adobe.com/xap/1.0/rights/}")
DATES = ("/CreationDate",)
FROM_XMP = {"/Title": "dc:title", "/Author": "dc:creator", "/Subject": "dc:description", "/Keywords": "pdf:Keywords"}


def prepare(pdf, target, pages=None):
    """PDF/A requires that what is seen is printed. Ghostscript drops the annotations that do not say so, which is most links."""
    total = len(pdf.pages)
    if pages is not None and not select(pdf, pages):
        return {"pages": total}
    names = take_names(pdf)
    for each in pdf_change.annotations(pdf):
        flags, kind = int(each.get("/F", 0)), each.get("/Subtype")
        # A comment without an appearance is not allowed.
        if not flags & UNSEEN and (kind in (Name.Link, Name.Widget, Name.Popup) or "/AP" in each):
            each.F = (flags | PRINT) & ~TOGGLE
        resolve(each, names)
    pdf.save(target)
    return {}


def select(pdf, pages):
    """False if the document has not all of them."""
    wanted = set()
    for part in pages.split(","):
        first, _, last = part.partition("-")
        wanted.update(range(int(first), int(last or first) + 1))
        if not 1 <= min(wanted) <= max(wanted) <= len(pdf.pages):
            return False
    for number in range(len(pdf.pages), 0, -1):
        if number not in wanted:
            del pdf.pages[number - 1]
    prune(pdf)
    prune_tags(pdf)
    return True


def resolve(link, names):
    """Ghostscript knows only the newer kind of named destination. @see ISO 32000-1, 12.3.2.3"""
    action = link.get("/A")
    for holder, key in ((link, "/Dest"), (action, "/D")):
        goal = holder.get(key) if isinstance(holder, Dictionary) else None
        found = names.get(str(goal)) if isinstance(goal, Name) else None
        if isinstance(found, Dictionary):
            found = found.get("/D")
        if isinstance(found, Array):
            holder[key] = found


def told_by(pdf):
    """The document information, completed from XMP."""
    told = {key: str(value) for key, value in pdf.docinfo.items()}
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for key, name in FROM_XMP.items():
            value = metadata.get(name)
            if key not in told and value:
                told[key] = "; ".join(value) if isinstance(value, (list, set)) else str(value)
        more = {key: metadata[key] for key in metadata if key.startswith(KEPT)}
    return told, more


def describe(source, pdf, part):
    told, more = told_by(source)
    for key in [*FROM_XMP, *DATES, "/Creator"]:
        if key in told:
            pdf.docinfo[key] = String(told[key])
        elif key in pdf.docinfo:
            del pdf.docinfo[key]
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for name in FROM_XMP.values():
            if name in metadata:
                del metadata[name]
        metadata.load_from_docinfo(pdf.docinfo)
        for key, value in more.items():
            # In part 1, both must say the same.
            if part != "1" or key not in metadata:
                metadata[key] = value
    if isinstance(source.Root.get("/Lang"), String):
        pdf.Root.Lang = String(str(source.Root.Lang))


def attach(pdf, part):
    """Only part 3 allows files of any format, each with its relationship to the document."""
    if len(pdf.attachments) == 0:
        return
    if part != "3":
        del pdf.Root.Names["/EmbeddedFiles"]
        return
    found = [pdf.attachments[name].obj for name in pdf.attachments]
    for each in found:
        if "/AFRelationship" not in each:
            each.AFRelationship = Name.Unspecified
    pdf.Root.AF = Array(found)


def finish(source, redrawn, target, part):
    with pikepdf.open(redrawn) as pdf:
        describe(source, pdf, part)
        attach(pdf, part)
        after = pdf_change.survey(pdf)
        # Part 1 allows no object streams.
        pdf.save(target, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return {"before": pdf_change.survey(source), "after": after}


def main(what, path, *rest):
    try:
        with pikepdf.open(path) as pdf:
            said = prepare(pdf, *rest) if what == "prepare" else finish(pdf, *rest)
    except pikepdf.PasswordError:
        return pdf_change.PROTECTED
    except pikepdf.PdfError:
        return pdf_change.DAMAGED
    except (TypeError, ValueError, AttributeError):
        # A value of another type than the standard asks for. Ghostscript may still draw the pages.
        if what == "prepare":
            return pdf_change.DAMAGED
        raise
    print(json.dumps(said))
    return NO_PAGES if "pages" in said else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
