"""Pages of a PDF drawn in another way: without fields and comments, several on a sheet, or by Ghostscript."""
import pikepdf
from pikepdf import Array, Dictionary, Name, String

# What a document says of itself, and how it opens.
TOLD = ["/Metadata", "/Lang", "/ViewerPreferences", "/PageLayout", "/PageMode"]


def carry(source, result, keys):
    """The result is no longer what PDF/A asks for."""
    for key in keys:
        if key in source.Root:
            value = source.Root[key]
            is_plain = isinstance(value, (Name, String))
            result.Root[key] = pikepdf.Object.parse(value.unparse()) if is_plain else result.copy_foreign(source.make_indirect(value))
    if "/Info" in source.trailer:
        result.trailer["/Info"] = result.copy_foreign(source.make_indirect(source.trailer["/Info"]))
    if "/Metadata" not in result.Root:
        return
    with result.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for key in ("pdfaid:part", "pdfaid:conformance"):
            if key in metadata:
                del metadata[key]


def graft(source, result):
    """Gives pages that Ghostscript wrote again what their document said."""
    carry(source, result, TOLD)
    opening = source.Root.get("/OpenAction")
    goal = opening.get("/D") if isinstance(opening, Dictionary) and opening.get("/S") == Name.GoTo else opening
    if isinstance(goal, Array) and len(goal) > 0 and isinstance(goal[0], Dictionary):
        found = [at for at, page in enumerate(source.pages) if page.obj.objgen == goal[0].objgen]
        view = [each for each in list(goal)[1:] if not getattr(each, "is_indirect", False)]
        if found:
            result.Root["/OpenAction"] = Array([result.pages[found[0]].obj, *view])


def is_drawn(widget):
    looks = widget.get("/AP")
    look = looks.get("/N") if isinstance(looks, Dictionary) else None
    return isinstance(look, (Dictionary, pikepdf.Stream))


def inherited(field, name):
    for _ in range(50):
        if not isinstance(field, Dictionary):
            return None
        if name in field:
            return field[name]
        field = field.get("/Parent")
    return None


def is_filled(widget):
    value = inherited(widget, "/V")
    if inherited(widget, "/FT") == Name.Btn:
        return widget.get("/AS", value) not in (None, Name.Off)
    return isinstance(value, (String, Array)) and len(bytes(value) if isinstance(value, String) else value) > 0


def is_hidden(annotation):
    return int(annotation.get("/F", 0)) & 2 != 0


def flatten(pdf):
    """Returns what does not show on the pages: names of fields with a value, and the number of comments with text."""
    fields, comments = [], 0
    for page in pdf.pages:
        found = [each for each in page.obj.get("/Annots", Array([])) if isinstance(each, Dictionary)]
        for each in found:
            kind = each.get("/Subtype")
            if kind == Name.Widget and not is_hidden(each) and is_filled(each) and not is_drawn(each):
                fields.append(str(inherited(each, "/T")))
            if kind not in (Name.Widget, Name.Link, Name.Popup) and str(each.get("/Contents", "")).strip() != "":
                comments += kind != Name.FreeText or not is_drawn(each)
    links = [[each for each in page.obj.get("/Annots", Array([])) if isinstance(each, Dictionary) and each.get("/Subtype") == Name.Link] for page in pdf.pages]
    form = pdf.Root.get("/AcroForm")
    if isinstance(form, Dictionary) and "/NeedAppearances" in form:
        # Otherwise qpdf leaves fields out. MuPDF has drawn them.
        del form["/NeedAppearances"]
    pdf.flatten_annotations("all")
    # Links have no appearance stream, so qpdf drops them.
    for page, kept in zip(pdf.pages, links):
        if kept:
            page.obj.Annots = Array(kept)
    if "/AcroForm" in pdf.Root:
        del pdf.Root["/AcroForm"]
    return {"fields": fields, "comments": comments}


def size_of(page):
    """Displayed size of the visible area."""
    left, bottom, right, top = (float(each) for each in page.cropbox)
    width, height = abs(right - left), abs(top - bottom)
    return (height, width) if int(page.obj.get("/Rotate", 0)) % 180 == 90 else (width, height)


def sheets(pdf, count):
    """Puts several pages on each sheet, in rows from the top left."""
    columns, rows = {2: (2, 1), 4: (2, 2), 6: (3, 2), 8: (4, 2), 9: (3, 3), 16: (4, 4)}[count]
    width, height = size_of(pdf.pages[0])
    if columns != rows:
        if width > height:
            columns, rows = rows, columns
        width, height = height, width
    result = pikepdf.new()
    for at, page in enumerate(pdf.pages):
        place = at % count
        if place == 0:
            result.add_blank_page(page_size=(width, height))
        column, row = place % columns, place // columns
        across, down = width / columns, height / rows
        box = pikepdf.Rectangle(column * across, height - (row + 1) * down, (column + 1) * across, height - row * down)
        result.pages[-1].add_overlay(page, box)
    carry(pdf, result, [*TOLD, "/OCProperties"])
    return result
