"""Lays out and writes documents, and tells what the result lacks."""
import base64
import mimetypes
import mmap
import os
import re

import books
import cells
import dbase
import fields
import fonts
import links
import menus
import page
import slides
import unshown
from com.sun.star.awt import Point
from packages import TYPES, may_mention
from process import TEMPORARY
from sources import properties


def arrange(document, job):
    """Sets up pages and selects one sheet. Returns its position, from 1; 0 for the whole document."""
    if not document.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
        sheets = None
    else:
        sheets = document.getSheets()
    place = 0
    if sheets is not None and "sheet" in job:
        place = books.place_of(sheets, job["sheet"])
        chosen = sheets.getByIndex(place - 1)
        # If one sheet has a print area, sheets without one are not printed.
        if not chosen.getPrintAreas():
            cursor = chosen.createCursor()
            cursor.gotoEndOfUsedArea(False)
            end = cursor.getRangeAddress()
            end.StartColumn, end.StartRow = 0, 0
            chosen.setPrintAreas((end,))
        for index in range(sheets.getCount()):
            if index != place - 1:
                sheets.getByIndex(index).setPrintAreas(())
    if any(name in job for name in ("landscape", "fitWidth", "paper", "margin")):
        styles = document.getStyleFamilies().getByName("PageStyles")
        for index in range(styles.getCount()):
            lay_out(styles.getByIndex(index), job, sheets is not None)
    return place


def lay_out(style, job, is_sheet):
    """Paper as [short side, long side] and margin in hundredths of a millimetre, the office's unit."""
    lies = job.get("landscape", style.IsLandscape)
    if "paper" in job:
        short, long = job["paper"]
        style.IsLandscape, style.Width, style.Height = lies, *((long, short) if lies else (short, long))
    elif style.IsLandscape != lies:
        width, height = style.Width, style.Height
        style.IsLandscape, style.Width, style.Height = lies, height, width
    if "margin" in job:
        style.LeftMargin = style.RightMargin = style.TopMargin = style.BottomMargin = job["margin"]
    if job.get("fitWidth") and is_sheet:
        style.ScaleToPagesX, style.ScaleToPagesY = 1, 0


# As the office writes the root of the page tree.
PAGES = re.compile(rb"<</Type/Pages\b[^>]*/Count (\d+)>>")


# As the office writes a comment.
NOTE = re.compile(rb"/Subtype ?/Text\b")


def found_in(path, pattern):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return pattern.findall(data)


def hidden_slides(document, path):
    """Number of hidden slides, which have no page in the PDF."""
    if not document.supportsService("com.sun.star.presentation.PresentationDocument"):
        return 0
    pages = document.getDrawPages()
    written = found_in(path, PAGES)
    # Asking for one slide takes a millisecond.
    if [int(count) for count in written] == [pages.getCount()]:
        return 0
    return sum(not pages.getByIndex(index).Visible for index in range(pages.getCount()))


COMMENTS = re.compile(rb"comments", re.I)
COMMENT = "com.sun.star.text.textfield.Annotation"


def has_comments(document, sheets, path):
    """Whether there are comments, which HTML and tables in text lack and PDF has as notes."""
    if not may_mention(path, COMMENTS, TYPES):
        return False
    if document.supportsService("com.sun.star.text.TextDocument"):
        return any(field.supportsService(COMMENT) for field in fields.every(document.getTextFields()))
    if document.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
        return any(sheet.Annotations.Count > 0 for sheet in sheets)
    return any(page.createAnnotationEnumeration().hasMoreElements() for page in document.getDrawPages())


def has_deleted(document):
    """Whether a text document has pending deletions, which its PDF shows."""
    is_text = document.supportsService("com.sun.star.text.TextDocument")
    return is_text and any(change.RedlineType == "Delete" for change in fields.every(document.getRedlines()))


def settle(context, document, path):
    """Accepts tracked changes, because a page shows deleted text like any other, and takes out comments, which it hides. Returns what there was."""
    is_commented = has_comments(document, [], path)
    document.RecordChanges = False
    for field in fields.every(document.getTextFields()) if is_commented else ():
        if field.supportsService(COMMENT):
            field.dispose()
    is_changed = bool(fields.every(document.getRedlines()))
    if is_changed:
        dispatcher = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
        dispatcher.executeDispatch(document.CurrentController.Frame, ".uno:AcceptAllTrackedChanges", "", 0, ())
    return {"hasChanges": is_changed, "hasComments": is_commented}


def fit_page(document):
    """Makes the page as large as the picture, which the office centres on a sheet of paper."""
    paper = document.getDrawPages().getByIndex(0)
    if paper.getCount() != 1:
        return
    picture = paper.getByIndex(0)
    size = picture.getSize()
    for side in ("BorderLeft", "BorderRight", "BorderTop", "BorderBottom"):
        setattr(paper, side, 0)
    paper.Width, paper.Height = size.Width, size.Height
    picture.setPosition(Point(0, 0))


def write(context, desktop, document, job, chosen):
    """Returns what the writers of our own report."""
    if "slides" in job:
        pictures, has_footers = write_slides(context, document, job)
        return {"picturesLeft": pictures, "hasFooters": has_footers}
    if "separator" in job:
        cells.write(document, chosen, job["output"], job["separator"], job["quotesText"])
    elif job["exportFilter"] == "dBase":
        return dbase.write(lambda: cells.rows_of(document, chosen), job["output"])
    elif "plainImport" in job:
        return {"hasTexts": store_plain(desktop, document, chosen, job)}
    else:
        left = settle(context, document, job["input"]) if job["exportFilter"] == "HTML (StarWriter)" else {}
        store(document, job)
        return left
    return {}


def store_plain(desktop, document, sheet, job):
    """As a workbook with only the values of a sheet: some filters write just the first sheet, with its numbers as displayed."""
    path = TEMPORARY + "/Sheet1"
    formats, has_texts = cells.write_plain(document, sheet, path)
    values = {"Hidden": True, "FilterName": "Text - txt - csv (StarCalc)", "FilterOptions": job["plainImport"].replace("{formats}", formats)}
    written = desktop.loadComponentFromURL("file://" + path, "_blank", 0, properties(values))
    try:
        store(written, job)
    finally:
        written.close(True)
    return has_texts


def store(document, job):
    values = {"FilterName": job["exportFilter"], "Overwrite": True}
    if "exportOptions" in job:
        values["FilterOptions"] = job["exportOptions"]
    if "filterData" in job:
        values["FilterData"] = job["filterData"]
    document.storeToURL("file://" + job["output"], properties(values))
    if job["exportFilter"].startswith("HTML"):
        fields.clear_marks(job["output"])
        embed_pictures(job["output"], links.to_headings(document))
    elif job["exportFilter"] == "Rich Text Format":
        drop_bitmaps(job["output"])


BRACE = re.compile(rb"\\.|[{}]", re.S)


def drop_bitmaps(path):
    """The office writes each picture also as a bitmap many times its size, for readers older than Windows 8."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, open(path + ".whole", "wb") as whole:
        done = 0
        while (start := data.find(b"{\\nonshppict", done)) >= 0:
            whole.write(memoryview(data)[done:start])
            depth, done = 0, len(data)
            for found in BRACE.finditer(data, start):
                depth += {b"{": 1, b"}": -1}.get(found[0], 0)
                if depth == 0:
                    done = found.end()
                    break
        whole.write(memoryview(data)[done:])
    os.replace(path + ".whole", path)


PICTURE = re.compile(rb'<img src="([\w.]+)"')


def embed_pictures(path, led):
    """Pages of workbooks come with their pictures and charts as files beside them. `led` changes a line with a link."""

    def embedded(found):
        beside = os.path.join(os.path.dirname(path), found[1].decode())
        kind = mimetypes.guess_type(beside)[0]
        if kind is None or not os.path.isfile(beside):
            return found[0]
        with open(beside, "rb") as file:
            return b'<img src="data:%s;base64,%s"' % (kind.encode(), base64.b64encode(file.read()))

    with open(path, "rb") as page, open(path + ".whole", "wb") as whole:
        whole.writelines(led(PICTURE.sub(embedded, line)) for line in page)
    os.replace(path + ".whole", path)


def write_slides(context, document, job):
    """Returns how many pictures are left out of the result, and whether footers are."""
    is_page = job["slides"] == "html"
    reader = slides.Reader(context if is_page else None)
    read = reader.slides(document)
    title = document.DocumentProperties.Title or next((slide["title"] for slide in read if slide["title"]), "Presentation")
    with open(job["output"], "w", encoding="utf-8") as file:
        file.write(page.page(read, title, slides.language_of(document)) if is_page else slides.as_json(read))
    return reader.pictures_left, reader.has_footers


# They write links of numbers nowhere, or where no other program finds them.
UNLINKED = re.compile("calc_pdf|HTML|calc8|OpenDocument")


def lacks(document, job, place, here):
    """What the result leaves out or changes, as the writer shows it."""
    writer, sheets = job["exportFilter"], books.converted(document, place)
    is_pdf = writer.endswith("_pdf_Export")
    answer = {"decoded": links.keep_escapes(document, job)}
    if job.get("fromExcel") and UNLINKED.match(writer):
        answer["numbersLinked"] = links.numbers_linked(document, job["input"])
    if job.get("wholeDays"):
        answer["hasMenus"] = menus.has_menus(job["input"])
    if place > 0 or is_pdf or writer == "HTML (StarCalc)":
        answer["hasHidden"] = books.has_hidden(document)
    if is_pdf or writer == "HTML (StarCalc)":
        answer["hiddenCells"] = books.hidden_cells(sheets)
    if is_pdf or writer in ("HTML (StarCalc)", "impress_html_Export", "Text - txt - csv (StarCalc)", "DIF", "dBase"):
        answer["hasComments"] = has_comments(document, sheets, job["input"]) and not (is_pdf and found_in(job["output"], NOTE))
    if "rounds" in job:
        answer["rounded"] = books.rounded(sheets, job["rounds"])
    if is_pdf:
        answer["properties"] = unshown.properties_left_out(document)
        answer["hasDeleted"] = has_deleted(document)
        answer["hiddenSlides"] = hidden_slides(document, job["output"])
        answer["fontsReplaced"] = fonts.replaced(job["input"], job["output"], here)
    return answer
