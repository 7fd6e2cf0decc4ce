"""Reads documents: prepares files that the office would misread, and tells why it cannot read others."""
import os
import re
import shutil
import zipfile

import fields
import opendocument
import spreadsheetml
import uno
import volatile
from com.sun.star.beans import PropertyValue
from com.sun.star.lang import DisposedException
from packages import usual_names
from process import TEMPORARY


def value_of(value):
    """Converts a JSON value for UNO; objects become sequences of named values."""
    if isinstance(value, dict):
        return uno.Any("[]com.sun.star.beans.PropertyValue", properties(value))
    return value


def properties(values):
    return tuple(PropertyValue(name, 0, value_of(value), 0) for name, value in values.items())


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


TYPES = "[Content_Types].xml"


def names_in(path):
    """Names of a package's parts; none if it is no package."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return []


# Booleans and errors in SYLK, which the office reads as 0, and days counted from 1904, which it counts from 1900.
SYLK_LOST, SYLK_1904 = re.compile(rb"^C;(?:[A-Z][^;\r\n]{0,20};){0,4}K(?:TRUE|FALSE|#[A-Z])", re.M), re.compile(rb"^O;(?:[^\r\n;]{0,100};){0,20}V4\b", re.M)

MAIN_PARTS = {"word/": b"word", "xl/": b"spreadsheetml|ms-excel", "ppt/": b"presentationml|ms-powerpoint"}


def has_part(path, folder):
    """Whether an Office Open XML package belongs to the family of its filter, which does not check. Its parts may have any names."""
    names = names_in(path)
    if any(name.startswith(folder) for name in names) or TYPES not in names:
        return any(name.startswith(folder) for name in names)
    with zipfile.ZipFile(path) as package, package.open(TYPES) as types:
        return re.search(rb"[./](?:%s)[\w.]{0,100}\.main\+xml" % MAIN_PARTS[folder], types.read(4_000_000)) is not None


# The end of rich text, and the beginning of another.
ANOTHER = re.compile(rb"(?<!\\)\}\s*\{\\rtf\d")
# The office reads all other properties.
MANAGER = re.compile(rb"\{\\(?:manager|category)\s+(?:[^{}\\\s]|\\['u])")

# Sound and video in Office Open XML and OpenDocument.
MEDIA = re.compile(r"(?:\w+/)?media/[^/]+\.(?:aac|aiff?|au|avi|m4a|m4v|mid|mkv|mov|mp3|mp4|mpe?g|og[agv]|wav|webm|wm[av])$", re.I)


class Source:
    """What the office reads instead of the user's file where it would misread it, or name it after ours."""

    def __init__(self, job):
        self.was_automatic, self.left, self.options, self.is_guessed = False, set(), job.get("importOptions"), False
        self.hidden, self.is_1904 = [], False
        if any(name.startswith("HTML") for name in job["importFilters"]):
            calm_html(job)
        if job["importFilters"][0].startswith("Text - txt - csv"):
            # The office names the sheet after the file, which has an arbitrary name here.
            os.symlink(job["input"], TEMPORARY + "/Sheet1")
            job["input"] = TEMPORARY + "/Sheet1"
        if job.get("openDocument"):
            job["input"], self.was_automatic = opendocument.readable(job["input"], job["folder"] + "/open-document")
        elif job["importFilters"][0].startswith("MS Excel 2003"):
            job["input"], self.hidden, has_more = spreadsheetml.readable(job["input"], job["folder"] + "/workbook")
            if has_more:
                self.left.add("attached")
        elif job["importFilters"][0] == "Rich Text Format":
            with open(job["input"], "rb") as file:
                content = file.read()
            self.left |= {kind for kind, pattern in (("second", ANOTHER), ("manager", MANAGER)) if pattern.search(content)}
        elif job["importFilters"][0] == "SYLK":
            with open(job["input"], "rb") as file:
                lines = file.read().replace(b"\r", b"\n")
            self.is_1904 = SYLK_1904.search(lines) is not None
            if SYLK_LOST.search(lines):
                self.left.add("truths")
        elif job.get("part") == "word/":
            job["input"] = usual_names(job["input"], job["folder"] + "/document")
        elif job.get("part") == "xl/":
            job["input"], self.was_automatic, has_pivots = volatile.readable(job["input"], job["folder"] + "/workbook")
            if has_pivots and re.match(r"calc8|Calc|MS Excel|OpenDocument", job["exportFilter"]):
                self.left.add("pivots")
        self.is_changed = bool(job.get("hasResults") or job.get("fromExcel") or job.get("losesTabs") or job["exportFilter"] == "HTML (StarWriter)")
        if self.is_changed:
            # The office changes only documents that it could save. Next to the result, relative links stay relative.
            job["input"] = shutil.copyfile(job["input"], job["output"] + ".input")
        if "fields" in job or "storesFields" in job:
            is_for_word = job["exportFilter"].startswith("MS Word 2007")
            job["input"], left = fields.readable(job["input"], job["output"] + ".fields", job.get("fields") == "fixed", is_for_word)
            self.left |= left
        if ("slides" in job or job["exportFilter"].endswith("_pdf_Export")) and any(map(MEDIA.match, names_in(job["input"]))):
            self.left.add("media")
        if "text" in job:
            self.options, self.is_guessed = normalise_text(job)

    def load(self, desktop, job):
        """Tries the filters in turn: several old formats share an extension. Returns the document, or why there is none."""
        is_broken = False
        is_wrong = "part" in job and not has_part(job["input"], job["part"]) or "text" in job and self.options is None
        for name in () if is_wrong else job["importFilters"]:
            # In a read-only document, cells accept neither number formats nor text.
            values = {"Hidden": True, "ReadOnly": not self.is_changed, "MacroExecutionMode": 0, "UpdateDocMode": 0, "FilterName": name}
            if self.options is not None:
                values["FilterOptions"] = self.options
            try:
                document = desktop.loadComponentFromURL("file://" + job["input"], "_blank", 0, properties(values))
            except DisposedException:
                raise
            except Exception:
                is_broken = True
                continue
            if document is not None:
                for sheet in filter(document.getSheets().hasByName, self.hidden) if self.hidden else ():
                    document.getSheets().getByName(sheet).IsVisible = False
                if self.is_1904:
                    document.NullDate = uno.createUnoStruct("com.sun.star.util.Date", 1, 1, 1904)
                return document, None
        return None, "password" if is_encrypted(job["input"]) else "broken" if is_broken else "load"
