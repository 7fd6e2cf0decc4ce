"""Changes a PDF and leaves everything else in it unchanged: tags, forms, links, bookmarks, attachments.

Usage: pdf-change.py survey IN, pdf-change.py change IN OUT CHANGES (a file of JSON),
pdf-change.py graft IN OUT ORIGINAL (IN is ORIGINAL with its pages written again). A
password to protect the result with is in PASSWORD. Prints a line of JSON. Exit codes: 0
done, 3 the file is damaged, 4 it is protected; anything else is a failure of this program.
"""
import json
import os
import secrets
import sys

sys.path.insert(0, os.path.dirname(__file__))

import pikepdf
from pikepdf import Array, Dictionary, Name

from pdf_redrawn import flatten, graft, inherited, sheets, size_of

DAMAGED, PROTECTED = 3, 4
# Limits counting: untrusted files may contain cycles.
MOST = 100_000


def annotations(pdf):
    for page in pdf.pages:
        found = page.obj.get("/Annots")
        if isinstance(found, Array):
            yield from (each for each in found if isinstance(each, Dictionary))


def bookmarks(pdf):
    """Each with its parent's index in the list, in no particular order."""
    outlines = pdf.Root.get("/Outlines")
    todo = [outlines.get("/First")] if isinstance(outlines, Dictionary) else []
    found, seen = [], set()
    while todo and len(found) < MOST:
        item = todo.pop()
        if not isinstance(item, Dictionary) or item.objgen in seen:
            continue
        seen.add(item.objgen)
        found.append(item)
        todo += [item.get("/Next"), item.get("/First")]
    return found


def whole_fonts(pdf):
    """Bytes of fonts that are not subset, whether they are used or not."""
    size = 0
    for font in pdf.objects:
        if not isinstance(font, Dictionary) or font.get("/Type") != Name.FontDescriptor:
            continue
        name = str(font.get("/FontName", ""))
        file = font.get("/FontFile2", font.get("/FontFile3", font.get("/FontFile")))
        if file is not None and not (len(name) > 8 and name[7] == "+"):
            size += len(file.read_raw_bytes())
    return size


def scripts(pdf):
    """Those of the document; those of its fields go with them."""
    names, opening = pdf.Root.get("/Names"), pdf.Root.get("/OpenAction")
    runs = isinstance(opening, Dictionary) and opening.get("/S") == Name.JavaScript
    return int(isinstance(names, Dictionary) and "/JavaScript" in names) + int(runs) + int("/AA" in pdf.Root)


def survey(pdf):
    kinds = [(str(each.get("/Subtype", "")), inherited(each, "/FT"), inherited(each, "/V")) for each in annotations(pdf)]
    form = pdf.Root.get("/AcroForm")
    return {
        "pages": len(pdf.pages),
        "tags": int(isinstance(pdf.Root.get("/StructTreeRoot"), Dictionary)),
        "fields": sum(kind == "/Widget" for kind, _, _ in kinds) or int(isinstance(form, Dictionary) and "/XFA" in form),
        "links": sum(kind == "/Link" for kind, _, _ in kinds),
        "comments": sum(kind not in ("/Widget", "/Link", "/Popup") for kind, _, _ in kinds),
        "bookmarks": len(bookmarks(pdf)),
        "attachments": len(pdf.attachments),
        "layers": int("/OCProperties" in pdf.Root),
        "labels": int("/PageLabels" in pdf.Root),
        "scripts": scripts(pdf),
        "transitions": sum("/Trans" in page.obj or "/Dur" in page.obj for page in pdf.pages),
        "restricted": not all(pdf.allow),
        # Invisible ones may be on no page.
        "signatures": sum(isinstance(each, Dictionary) and "/ByteRange" in each for each in pdf.objects)
        or sum(kind == Name.Sig and isinstance(value, Dictionary) for _, kind, value in kinds),
        "wholeFonts": whole_fonts(pdf),
        "size": [float(each) for each in size_of(pdf.pages[0])] if len(pdf.pages) > 0 else [0, 0],
    }


def describe(pdf, changes):
    if changes.get("metadata") == "strip":
        if "/Info" in pdf.trailer:
            del pdf.trailer["/Info"]
        for holder in [pdf.Root, *(page.obj for page in pdf.pages)]:
            for key in ("/Metadata", "/PieceInfo", "/LastModified"):
                if key in holder:
                    del holder[key]
    told = {key: changes[key] for key in ("title", "author", "subject", "keywords") if key in changes}
    if not told:
        return
    for key, value in told.items():
        pdf.docinfo["/" + key.capitalize()] = pikepdf.String(value)
    names = {"title": "dc:title", "author": "dc:creator", "subject": "dc:description", "keywords": "pdf:Keywords"}
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for key, value in told.items():
            metadata[names[key]] = [value] if key == "author" else value


def stamp(pdf, path):
    with pikepdf.open(path) as drawn:
        for page in pdf.pages:
            left, bottom, right, top = (float(each) for each in page.cropbox)
            page.add_overlay(drawn.pages[0], pikepdf.Rectangle(left, bottom, right, top))


def encryption(changes):
    password = os.environ.get("PASSWORD", "")
    allowed = changes.get("permissions")
    if password == "" and allowed is None:
        return None
    may_all, may_print = allowed in (None, "all"), allowed in (None, "all", "print")
    permissions = pikepdf.Permissions(
        accessibility=True, extract=may_all, modify_annotation=may_all, modify_assembly=may_all, modify_form=may_all,
        modify_other=may_all, print_lowres=may_print, print_highres=may_print,
    )
    # With restrictions, the owner password is random, so that nobody can lift them.
    owner = password if may_all and password != "" else secrets.token_urlsafe(24)
    return pikepdf.Encryption(user=password, owner=owner, R=6, allow=permissions)


def turned(pdf, changes):
    angle = int(changes.get("rotate", 0))
    if angle:
        wanted = changes.get("rotatePages")
        for number in wanted if wanted is not None else range(1, len(pdf.pages) + 1):
            pdf.pages[number - 1].rotate(angle, relative=True)


def change(pdf, target, changes):
    # If no page was removed, dangling references stay as they are.
    if changes.get("selected"):
        from pdf_prune import prune
        from pdf_tags import prune_tags

        prune(pdf)
        prune_tags(pdf)
    before = survey(pdf)
    if "optimise" in changes:
        from pdf_pictures import shrink

        with open(changes["pictures"], encoding="utf-8", errors="replace") as listing:
            shrink(pdf, listing, changes["optimise"])
    unseen = flatten(pdf) if changes.get("flatten") or "nUp" in changes else {}
    turned(pdf, changes)
    if "stamp" in changes:
        stamp(pdf, changes["stamp"])
    if "nUp" in changes:
        pdf = sheets(pdf, int(changes["nUp"]))
    describe(pdf, changes)
    after = survey(pdf)
    version = changes.get("pdfVersion")
    protection = encryption(changes)
    if protection is not None and version == "1.7":
        version = ("1.7", 8)
    pikepdf.settings.set_flate_compression_level(9)
    pdf.save(
        target,
        force_version=version or "",
        object_stream_mode=pikepdf.ObjectStreamMode.disable if version == "1.4" else pikepdf.ObjectStreamMode.generate,
        recompress_flate="optimise" in changes,
        linearize=bool(changes.get("linearise")),
        encryption=protection,
    )
    return {"before": before, "after": after, "unseen": unseen}


def graft_onto(pdf, target, source):
    with pikepdf.open(source) as original:
        graft(original, pdf)
        pdf.save(target)
    return {}


def main(what, source, *rest):
    try:
        pdf = pikepdf.open(source)
    except pikepdf.PasswordError:
        return PROTECTED
    except pikepdf.PdfError:
        return DAMAGED
    with pdf:
        try:
            if len(pdf.pages) == 0:
                return DAMAGED
            if what == "survey":
                said = survey(pdf)
            elif what == "graft":
                said = graft_onto(pdf, *rest)
            else:
                said = change(pdf, rest[0], json.load(open(rest[1], encoding="utf-8")))
        except pikepdf.PdfError:
            return DAMAGED
        said["damaged"] = len(pdf.get_warnings()) > 0
        print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
