"""What a browser may load for one job: the page and what came with it, each at its own address. Nothing else exists."""

import email
import email.policy
import io
import lzma
import mimetypes
import posixpath
import re
import urllib.parse
import zipfile

ORIGIN = "http://page.invalid"
# A part of a saved page, which others refer to by number.
PARTS = "https://part.invalid/"
PAGE = "text/html"
# Totals per job.
MOST_UNPACKED = 256 << 20
MOST_ENTRIES = 20_000
MORE_TYPES = {".woff2": "font/woff2", ".woff": "font/woff", ".webp": "image/webp", ".avif": "image/avif", ".mjs": "text/javascript"}
TELLS = re.compile(rb"\b(?:charset|encoding)\s*=", re.IGNORECASE)
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
REFERENCE = re.compile(rb"\bcid:([^\s\"'()<>]{1,200})", re.IGNORECASE)


class Unusable(Exception):
    """The input is not what it claims to be, or lacks what a page needs. Carries a code and a message for the user."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Site:
    """A single page. `guess`: its encoding if it is not Unicode and does not declare one."""

    def __init__(self, content, type, guess):
        self.address = f"{ORIGIN}/"
        self.is_guessed = guess is not None
        self._content = content
        self._type = type
        self._charset = f"; charset={guess}" if guess else charset_of(content) or ""

    def find(self, address):
        """The content type and bytes at an address without its fragment, or None."""
        return (f"{self._type}{self._charset}", self._content) if address == self.address else None

    def forgive(self):
        """From now on malformed XML is read as HTML. Returns whether that makes a difference."""
        was, self._type = self._type, PAGE
        return was != PAGE


class PackedSite:
    """A ZIP with a page and its files, addressed by their names in the archive."""

    def __init__(self, content):
        self.is_guessed = False
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise Unusable("INVALID_INPUT", "The archive is damaged.") from error
        entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        if len(entries) > MOST_ENTRIES:
            raise Unusable("INPUT_TOO_COMPLEX", f"The archive contains more than {MOST_ENTRIES} files.")
        self._entries = {entry.filename.lstrip("/"): entry for entry in entries}
        self._left = MOST_UNPACKED
        self.address = address_of(first_page_of(self._entries))

    def find(self, address):
        parts = urllib.parse.urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" != ORIGIN:
            return None
        name = urllib.parse.unquote(parts.path).lstrip("/")
        entry = self._entries.get(name)
        if entry is None:
            return None
        content, type = self._unpack(entry), type_of(name)
        if type != PAGE:
            return type, content
        charset = charset_of(content)
        self.is_guessed = self.is_guessed or charset is None
        return f"{type}{charset or ''}", content

    def forgive(self):
        return False

    def _unpack(self, entry):
        if entry.flag_bits & 1:
            raise Unusable("PASSWORD_REQUIRED", "The archive is protected by a password; remove the password and try again.")
        try:
            with self._zip.open(entry) as packed:
                content = packed.read(self._left + 1)
        except (zipfile.BadZipFile, zipfile.zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError) as error:
            raise Unusable("INVALID_INPUT", "The archive is damaged.") from error
        self._left -= len(content)
        if self._left < 0:
            raise Unusable("INPUT_TOO_COMPLEX", "The files in the archive are larger than a conversion may use.")
        return content


class SavedSite:
    """A page that a browser saved with all its resources, as a multipart message (RFC 2557)."""

    def __init__(self, content):
        self.is_guessed = False
        try:
            message = email.message_from_bytes(content, policy=email.policy.compat32)
            parts = [part for part in message.walk() if not part.is_multipart()]
        except RecursionError as error:
            raise Unusable("INPUT_TOO_COMPLEX", "The parts of the saved page are nested too deeply.") from error
        if len(parts) > MOST_ENTRIES:
            raise Unusable("INPUT_TOO_COMPLEX", f"The saved page holds more than {MOST_ENTRIES} parts.")
        self._found = {}
        start = message.get_param("start")
        start = start.strip("<>") if isinstance(start, str) else ""
        first = None
        for part in parts:
            number = quoted(header(part, "Content-ID").strip().strip("<>"))
            addresses = [PARTS + number] if number else []
            location = quoted("".join(header(part, "Content-Location").split()))
            if re.match(r"https?://", location, re.IGNORECASE):
                addresses.append(location.partition("#")[0])
            elif location.lower().startswith("cid:"):
                addresses.append(PARTS + location[4:])
            elif location:
                addresses += joined(location)
            is_page = part.get_content_type() in (PAGE, "application/xhtml+xml")
            if is_page and not addresses:
                addresses = [f"{ORIGIN}/"]
            for address in addresses:
                self._found.setdefault(address, part)
            if is_page and (first is None or (start and number == start)):
                first = addresses[-1]
        if first is None:
            raise Unusable("INVALID_INPUT", "The file contains no saved page.")
        self.address = first

    def find(self, address):
        part = self._found.get(address)
        if part is None:
            return None
        content = part.get_payload(decode=True) or b""
        type = part.get_content_type()
        if type.startswith("text/") or type == "application/xhtml+xml":
            content = REFERENCE.sub(lambda found: PARTS.encode() + found[1], content)
            charset = part.get_content_charset()
            type += f"; charset={charset}" if charset and re.fullmatch(r"[\w.:-]{1,40}", charset) else ""
        return type, content

    def forgive(self):
        return False


def header(part, name):
    """The raw header value: non-ASCII is read as UTF-8, or replaced."""
    value = next((value for key, value in part.raw_items() if key.lower() == name.lower()), "")
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def quoted(address):
    """Escaped as the browser requests it."""
    return urllib.parse.quote(address, safe="%/:?#[]@!$&'()*+,;=~|")


def joined(location):
    try:
        return [urllib.parse.urljoin(f"{ORIGIN}/", location)]
    except ValueError:
        return []


def charset_of(content):
    """The charset to declare to the browser: empty if the page declares it, None if it is unknown."""
    if TELLS.search(content, 0, 8192) or content.startswith(MARKS):
        return ""
    try:
        content.decode()
    except UnicodeDecodeError:
        return None
    return "; charset=utf-8"


def first_page_of(names):
    """index.html at the top or in the only folder; otherwise the only page."""
    pages = [name for name in names if re.search(r"\.x?html?$", name, re.IGNORECASE)]
    ours = [name for name in pages if not name.startswith("__MACOSX/")]
    index = [name for name in ours if re.fullmatch(r"index\.x?html?", posixpath.basename(name), re.IGNORECASE)]
    shallow = min((name.count("/") for name in index), default=0)
    top = [name for name in index if name.count("/") == shallow]
    if len(top) == 1:
        return top[0]
    if not index and len(ours) == 1:
        return ours[0]
    # Says what a page needs: nothing is wrong with the archive itself.
    raise Unusable("CONVERSION_FAILED", "The archive contains no index.html; a page and its files become one document.")


def address_of(name):
    return f"{ORIGIN}/{urllib.parse.quote(name)}"


def type_of(name):
    ending = posixpath.splitext(name)[1].lower()
    return MORE_TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def open_site(format, content, guess):
    if format == "html":
        return Site(content, PAGE, guess)
    if format == "xhtml":
        return Site(content, "application/xhtml+xml", guess)
    return SavedSite(content) if format == "mhtml" else PackedSite(content)
