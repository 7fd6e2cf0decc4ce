"""Drives one LibreOffice inside the sandbox: a line of JSON in, a line of JSON out, one document at a time.

Answers {"ok": true, ...} or {"ok": false, "reason": "password" | "load" | "broken" | "sheet" | "store",
...}. "load" means that the office rejected the document: it returns none and gives no reason. An exception
while loading is "broken". When the office itself dies, the worker exits too: its owner starts a new pair.
"""
import atexit
import json
import mmap
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

import books
import cells
import fields
import fonts
import links
import menus
import opendocument
import page
import results
import slides
import uno
import volatile
from com.sun.star.beans import PropertyValue
from com.sun.star.lang import DisposedException
from installed_fonts import families_here

TEMPORARY = os.environ["TMPDIR"]
PROFILE = TEMPORARY + "/profile"
PIPE = "filemill"
# No links are fetched, no macros run, no dialogs appear: a second layer behind the sandbox, which has no network.
SETTINGS = (
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Save/Document", "LoadPrinter", "false"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Calc/Content/Update", "Link", "2"),
    ("Office.Calc/Formula/Load", "OOXMLRecalcMode", "1"),
    ("Office.Calc/Formula/Load", "ODFRecalcMode", "1"),
)


def seed_profile(more=""):
    """`more`: settings as in the XML file."""
    os.makedirs(PROFILE + "/user", exist_ok=True)
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in SETTINGS
    )
    with open(PROFILE + "/user/registrymodifications.xcu", "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">' + items + more + "</oor:items>")


COMMAND = (
    "/usr/lib/libreoffice/program/soffice.bin", f"-env:UserInstallation=file://{PROFILE}", "--headless", "--invisible", "--norestore",
    "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard",
)
# Exit code with which the office asks for a restart, once on a fresh profile.
AGAIN = 81


def start_office():
    command = [*COMMAND, f"--accept=pipe,name={PIPE};urp;StarOffice.ComponentContext"]
    office = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # If Filemill was killed during sandbox setup, nothing ends the sandbox: it lasts as long as a process in it.
    atexit.register(office.kill)
    return office


def connect():
    """Starts the office and waits for it."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    office, starts = start_office(), 1
    while True:
        code = office.poll()
        if code is not None:
            if code != AGAIN or starts > 2:
                raise RuntimeError(f"the office ended with {code}")
            office, starts = start_office(), starts + 1
        try:
            return resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            time.sleep(0.02)


def value_of(value):
    """Converts a JSON value for UNO; objects become sequences of named values."""
    if isinstance(value, dict):
        return uno.Any("[]com.sun.star.beans.PropertyValue", tuple(properties(value)))
    return value


def properties(values):
    return [PropertyValue(name, 0, value_of(value), 0) for name, value in values.items()]


def is_encrypted(path):
    """Whether a document that failed to load is encrypted: the office does not say."""
    if zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive, archive.open("META-INF/manifest.xml") as manifest:
                return b"encryption-data" in manifest.read(4_000_000)
        except (KeyError, OSError, zipfile.BadZipFile, RuntimeError):
            return False
    with open(path, "rb") as file:
        data = file.read(64_000_000)
    if not data.startswith(b"\xd0\xcf\x11\xe0"):
        return False
    if any(name.encode("utf-16-le") in data for name in ("EncryptedPackage", "EncryptedSummary")):
        return True
    for start in range(512, len(data) - 32, 512):
        if data[start : start + 2] == b"\xec\xa5":  # [MS-DOC] FibBase: fEncrypted is bit 8 of the flags
            return bool(data[start + 11] & 1)
        if data[start : start + 4] in (b"\x09\x08\x10\x00", b"\x09\x08\x08\x00"):  # [MS-XLS] BOF; FilePass follows soon
            position = start
            for _ in range(8):
                kind, size = data[position : position + 2], int.from_bytes(data[position + 2 : position + 4], "little")
                if kind == b"\x2f\x00":
                    return True
                position += 4 + size
            return False
    return False


def decode(data, encoding):
    """Decodes text of unknown encoding, and returns whether that was a guess."""
    if encoding != "auto":
        return data.decode(encoding, "replace"), False
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\x00\x00", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(name, "replace"), False
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        zeros = data[:4096].count(0)
        if zeros > len(data[:4096]) // 4:
            return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", "replace"), True
        return data.decode("cp1252", "replace"), True


def normalise_text(job):
    """Rewrites the input as UTF-8, so that one import setting serves all encodings.
    Returns the setting, if it is text, and whether the encoding was guessed."""
    with open(job["input"], "rb") as file:
        text, guessed = decode(file.read(), job["text"]["encoding"])
    if "\0" in text:
        return None, guessed
    # The office drops all other ends of lines, and joins their words.
    text = re.sub("\r\n?|[\x85\u2028\u2029]", "\n", text)
    job["input"] = job["folder"] + "/text-input"
    with open(job["input"], "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return "UTF8,LF", guessed


META = re.compile(rb"""<meta\b(?:(?:[^>"']|"[^"]{0,8000}"|'[^']{0,8000}'){0,1000}>|[^>]{0,8000}>)""", re.I)
KNOWN_META = re.compile(rb"""\b(?:name|charset)\s*=|\bhttp-equiv\s*=\s*["']?\s*(?:content-type|refresh)\b""", re.I)
DEADLY_META = re.compile(
    rb"""\bhttp-equiv\b(?!\s*=\s*["']?\s*(?:content-type|refresh)\b)|\bname\s*=\s*["']?(?:created|changed)\b(?!.*\bcontent\s*=\s*["']?\d{4})""",
    re.I | re.S,
)


def calm_html(job):
    """Removes META elements that crash the office: unknown ones, such as Open Graph or X-UA-Compatible, and
    its own without a date. A page without a declared encoding is read as UTF-8 and loses anything else."""
    with open(job["input"], "rb") as file:
        raw = file.read()
    told = raw if "htmlEncoding" not in job else b"\xef\xbb\xbf" + raw.decode(job["htmlEncoding"], "replace").encode("utf-8")
    calm = META.sub(lambda tag: tag[0] if KNOWN_META.search(tag[0]) and not DEADLY_META.search(tag[0]) else b"", told)
    if calm == raw:
        return
    job["input"] = job["folder"] + "/html-input"
    with open(job["input"], "wb") as file:
        file.write(calm)


def prepare(document, job):
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


def has_part(path, folder):
    """Whether an Office Open XML package belongs to the family of its filter, which does not check."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.startswith(folder) for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def load(desktop, job, options, is_changed):
    """Tries the filters in turn: several old formats share an extension. Returns the document, if any, and whether the office failed."""
    broken = False
    if "part" in job and not has_part(job["input"], job["part"]):
        return None, broken
    for name in job["importFilters"]:
        # In a read-only document, cells accept neither number formats nor text.
        values = {"Hidden": True, "ReadOnly": not is_changed, "MacroExecutionMode": 0, "UpdateDocMode": 0, "FilterName": name}
        if options is not None:
            values["FilterOptions"] = options
        try:
            document = desktop.loadComponentFromURL("file://" + job["input"], "_blank", 0, tuple(properties(values)))
        except DisposedException:
            raise
        except Exception:
            broken = True
            continue
        if document is not None:
            return document, False
    return None, broken


# As the office writes the root of the page tree.
PAGES = re.compile(rb"<</Type/Pages\b[^>]*/Count (\d+)>>")


def hidden_slides(document, path):
    """Number of hidden slides, which have no page in the PDF."""
    if not document.supportsService("com.sun.star.presentation.PresentationDocument"):
        return 0
    pages = document.getDrawPages()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        written = PAGES.findall(data)
    # Asking for one slide takes a millisecond.
    if [int(count) for count in written] == [pages.getCount()]:
        return 0
    return sum(not pages.getByIndex(index).Visible for index in range(pages.getCount()))


def revisions(document):
    """Whether a text document has comments, which its PDF leaves out, and pending deletions, which its PDF shows."""
    if not document.supportsService("com.sun.star.text.TextDocument"):
        return False, False
    fields, changes = document.getTextFields().createEnumeration(), document.getRedlines().createEnumeration()
    commented = any(field.supportsService("com.sun.star.text.textfield.Annotation") for field in every(fields))
    return commented, any(change.RedlineType == "Delete" for change in every(changes))


def every(enumeration):
    while enumeration.hasMoreElements():
        yield enumeration.nextElement()


def plain_copy(desktop, document, sheet, options):
    """A workbook with only the values of a sheet: some filters write just the first sheet, with its numbers as displayed."""
    path = TEMPORARY + "/Sheet1"
    formats, has_texts = cells.write_plain(document, sheet, path)
    values = {"Hidden": True, "FilterName": "Text - txt - csv (StarCalc)", "FilterOptions": options.replace("{formats}", formats)}
    return desktop.loadComponentFromURL("file://" + path, "_blank", 0, tuple(properties(values))), has_texts


def store(document, job):
    values = {"FilterName": job["exportFilter"], "Overwrite": True}
    if "exportOptions" in job:
        values["FilterOptions"] = job["exportOptions"]
    if "filterData" in job:
        values["FilterData"] = job["filterData"]
    document.storeToURL("file://" + job["output"], tuple(properties(values)))
    if job["exportFilter"].startswith("HTML"):
        fields.clear_marks(job["output"])


def write_slides(context, document, job):
    """Returns how many pictures are left out of the result."""
    is_page = job["slides"] == "html"
    reader = slides.Reader(context if is_page else None)
    read = reader.slides(document)
    title = document.DocumentProperties.Title or next((slide["title"] for slide in read if slide["title"]), "Presentation")
    with open(job["output"], "w", encoding="utf-8") as file:
        file.write(page.page(read, title, slides.language_of(document)) if is_page else slides.as_json(read))
    return reader.pictures_left


def convert(context, desktop, job, here):
    """In a folder of its own so deep that links to folders above stay different, and relative."""
    top, result = job["output"] + ".folder", job["output"]
    folder = top + "/d" * 8
    os.makedirs(folder)
    # The driver of dBase asks for an extension.
    os.symlink(job["input"], folder + "/in.in")
    job |= {"input": folder + "/in.in", "output": folder + "/out.out", "folder": folder}
    try:
        return converted(context, desktop, job, here)
    finally:
        if os.path.isfile(job["output"]):
            links.make_relative(job["output"], top, folder)
            os.replace(job["output"], result)
        shutil.rmtree(top, ignore_errors=True)


def converted(context, desktop, job, here):
    if any(name.startswith("HTML") for name in job["importFilters"]):
        calm_html(job)
    if job["importFilters"][0].startswith("Text - txt - csv"):
        # The office names the sheet after the file, which has an arbitrary name here.
        os.symlink(job["input"], TEMPORARY + "/Sheet1")
        job["input"] = TEMPORARY + "/Sheet1"
    was_automatic = False
    if job.get("openDocument"):
        job["input"], was_automatic = opendocument.readable(job["input"], job["folder"] + "/open-document")
    elif job.get("part") == "xl/":
        job["input"], was_automatic = volatile.readable(job["input"], job["folder"] + "/workbook")
    is_changed = bool(job.get("hasResults") or job.get("fromExcel") or job.get("losesTabs"))
    if is_changed:
        # The office changes only documents that it could save. Next to the result, relative links stay relative.
        job["input"] = shutil.copyfile(job["input"], job["output"] + ".input")
    left = set()
    if "fields" in job or "storesFields" in job:
        job["input"], left = fields.readable(job["input"], job["output"] + ".input", job.get("fields") == "fixed")
    options, guessed = normalise_text(job) if "text" in job else (job.get("importOptions"), False)
    document, broken = (None, False) if "text" in job and options is None else load(desktop, job, options, is_changed)
    if document is None:
        return {"ok": False, "reason": "password" if is_encrypted(job["input"]) else "broken" if broken else "load"}
    written = document
    try:
        names = books.sheet_names(document)
        if job.get("parts"):
            return {"ok": True, "sheets": names}
        held = volatile.Held(document, job["input"], job["hasResults"] == "kept", was_automatic) if "hasResults" in job else None
        if job["importFilters"] == ["dBase"]:
            books.bare_heads(document)
        if job.get("from1900"):
            books.correct_1900(document)
        inexact = books.whole_days(document) if job.get("wholeDays") else []
        restored, unknown = results.restore(document, job["input"], held.telling, held.is_stale) if held else ([], [])
        if job.get("fromExcel"):
            links.shorten(document, job["input"], job["exportFilter"].startswith("HTML"))
        if job.get("fromExcel"):
            books.restore_truth(document)
        if job.get("to1900"):
            books.days_of_excel(document)
        is_nameless = fields.drop_names(document, job["exportFilter"].startswith("calc_"))
        spaced, controls = books.space_tabs(document) if job.get("losesTabs") else ([], [])
        place = prepare(document, job)
        sheets = books.converted(document, place)
        is_dbase = job["exportFilter"] == "dBase"
        if "most" in job and books.exceeds(sheets, *job["most"]) or is_dbase and books.longest(sheets) > 254:
            return {"ok": False, "reason": "large"}
        chosen = sheets[0] if place > 0 else books.first(document) if sheets else None
        has_texts, pictures_left = False, 0
        if "plainImport" in job:
            written, has_texts = plain_copy(desktop, document, chosen, job["plainImport"])
        if "slides" in job:
            pictures_left = write_slides(context, document, job)
        elif "separator" in job:
            cells.write(document, chosen, job["output"], job["separator"], job["quotesText"])
        else:
            store(written, job)
            if held:
                held.release(job["output"])
        decoded = links.keep_escapes(document, job["output"], job["exportFilter"])
        answer = {"ok": True, "decoded": decoded, "sheet": books.rank_of(document, place), "sheets": names, "encodingGuessed": guessed, "hasTexts": has_texts, "spaced": spaced, "controls": [] if job["exportFilter"].startswith("HTML") else controls, "inexact": inexact, "restored": restored, "unknown": unknown, "changed": held.changed() if held else []}
        is_pdf = job["exportFilter"].endswith("_pdf_Export")
        if job.get("fromExcel") and (is_pdf or job["exportFilter"].startswith("HTML")):
            answer["numbersLinked"] = links.numbers_linked(document, job["input"])
        if is_nameless:
            answer["isNameless"] = True
        if job.get("wholeDays"):
            answer["hasMenus"] = menus.has_menus(job["input"])
        if pictures_left > 0:
            answer["picturesLeft"] = pictures_left
        answer["hasHidden"] = (place > 0 or is_pdf) and books.has_hidden(document)
        if is_pdf or job["exportFilter"] == "HTML (StarCalc)":
            answer["hiddenCells"] = books.hidden_cells(sheets)
        answer["hasComments"], answer["hasDeleted"] = revisions(document) if is_pdf else (False, False)
        if "fields" in job and fields.tells_time(document):
            left.add("times")
        answer["left"] = sorted(left)
        answer["hiddenSlides"] = hidden_slides(document, job["output"]) if is_pdf else 0
        if "rounds" in job:
            answer["rounded"] = books.rounded(sheets, job["rounds"])
        if is_dbase:
            answer["renamed"] = books.renamed(sheets, job["output"])
        return {**answer, "fontsReplaced": fonts.replaced(job["input"], job["output"], here)} if is_pdf else answer
    except DisposedException:
        raise
    except IndexError:
        return {"ok": False, "reason": "sheet", "sheets": names}
    except Exception as error:
        return {"ok": False, "reason": "store", "detail": str(error)[:500]}
    finally:
        if written is not document:
            written.close(True)
        document.close(True)


def wipe():
    """Removes everything of a document before the next one. Keeps sockets,
    which connect us to the office, and folders, which it creates only once."""
    for folder, folders, files in os.walk(TEMPORARY):
        folders[:] = [name for name in folders if os.path.join(folder, name) != PROFILE]
        for path in (os.path.join(folder, name) for name in files):
            if os.path.islink(path) or os.path.isfile(path):
                os.unlink(path)


def serve(context, answers, rest=lambda: None):
    """Answers requests until there are no more. `rest` is called after each document."""
    here = families_here()
    desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    for line in sys.stdin:
        job = json.loads(line)
        if job.get("ready"):
            answer = {"ready": True}
        else:
            answer = convert(context, desktop, job, here)
            wipe()
            rest()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    seed_profile()
    serve(connect(), sys.stdout)
