"""Which fonts of a document were replaced when its pages were rendered:
fonts that it uses, but that neither the machine nor the PDF has.

Parses the document's own markup: querying the office for styles takes a tenth of a second and can crash it.
"""
import html
import re
import zipfile
import zlib

from installed_fonts import comparable

# Limit of the markup that is read: some thousand pages of text, in a tenth of a second.
MARKUP_BYTES = 8_000_000
PDF_BYTES = 64_000_000
ANSWERED = 20

WORD_BODY = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes)\.xml")
SLIDE_BODY = re.compile(r"ppt/slides/slide\d+\.xml")
WORD_FONT = re.compile(r'\bw:(?:ascii|asciiTheme)="([^"]*)"')
WORD_ASIAN = re.compile(r'\bw:(?:eastAsia|eastAsiaTheme)="([^"]*)"')
ODF_FONT = re.compile(r'\b(?:style:font-name|fo:font-family)="([^"]*)"')
ODF_ASIAN = re.compile(r'\b(?:style:font-name-asian|style:font-family-asian)="([^"]*)"')
WORD_USED = re.compile(r'<w:[pr]Style w:val="([^"]*)"')
ODF_USED = re.compile(r'\b(?:text|table|draw|presentation|style):(?:parent-)?style-name="([^"]*)"')


def drawn_in(path):
    """The fonts in a PDF from the office, without subset prefix and style."""
    with open(path, "rb") as file:
        found = re.findall(rb"/BaseFont\s*/(?:[A-Z]{6}\+)?([^\s/<>\[\]()-]+)", file.read(PDF_BYTES))
    return {comparable(re.sub(rb"#([0-9A-Fa-f]{2})", lambda code: bytes.fromhex(code[1].decode()), name).decode("utf-8", "replace")) for name in found}


def blocks_of(text, tag):
    """Elements from start to end tag, in a single pass; they must not be nested."""
    at = text.find(f"<{tag}")
    while at >= 0:
        end = text.find(">", at) + 1
        if end == 0:
            return
        if text[end - 2] != "/":
            end = text.find(f"</{tag.strip()}>", end)
        if end < 0:
            return
        yield text[at:end]
        at = text.find(f"<{tag}", end)


def closure(used, parents):
    """The styles in use and all their parent styles."""
    reached, ahead = set(), list(used)
    while ahead:
        name = ahead.pop()
        if name not in reached and name in parents:
            reached.add(name)
            ahead.append(parents[name])
    return reached


def of_word(read):
    styles, theme = "".join(read("word/styles.xml")), "".join(read(re.compile(r"word/theme/theme\d+\.xml")))
    body = "".join(read(WORD_BODY))
    blocks, parents, used = {}, {}, set(WORD_USED.findall(body))
    for block in blocks_of(styles, "w:style "):
        named = re.search(r'\bw:styleId="([^"]*)"', block)
        if named is None:
            continue
        based = re.search(r'<w:basedOn w:val="([^"]*)"', block)
        blocks[named[1]], parents[named[1]] = block, based[1] if based else ""
        if re.match(r'<w:style\b[^>]*w:default="(?:1|true)"', block):
            used.add(named[1])
    shown = body + "".join(blocks_of(styles, "w:docDefaults")) + "".join(blocks[name] for name in closure(used, parents))

    shown = "".join(re.findall(r"<w:rFonts\b[^<>]*>", shown))

    def of_theme(name, script):
        if not re.match(r"(?:minor|major)[A-Z]", name):
            return name
        part = next(blocks_of(theme, f"a:{name[:5]}Font"), "")
        face = re.search(rf'<a:{script} typeface="([^"]*)"', part)
        return face[1] if face else ""

    return {of_theme(name, "latin") for name in WORD_FONT.findall(shown)}, {of_theme(name, "ea") for name in WORD_ASIAN.findall(shown)}


def of_slides(read):
    theme, body = "".join(read("ppt/theme/theme1.xml")), "".join(read(SLIDE_BODY))
    text = "<a:t>" in body
    latin = re.findall(r'<a:latin typeface="([^"]*)"', body)
    faces = dict(re.findall(r'<a:(major|minor)Font>\s*<a:latin typeface="([^"]*)"', theme))
    of_theme = [faces.get("major", ""), faces.get("minor", "")] if text else []
    return {name for name in (*latin, *of_theme) if not name.startswith("+")}, set()


def of_sheets(read):
    styles = "".join(read("xl/styles.xml"))
    names = [re.search(r'<name val="([^"]*)"', font) for font in blocks_of(next(blocks_of(styles, "fonts"), "").replace("<fonts", ""), "font")]
    used = {int(index) for index in re.findall(r'\bfontId="(\d{1,6})"', next(blocks_of(styles, "cellXfs"), ""))}
    found = {names[index][1] for index in used if index < len(names) and names[index]}
    # This library always names one, although nobody chose it; it makes our workbooks of data, too.
    is_unchosen = "<Application>SheetJS</Application>" in "".join(read("docProps/app.xml"))
    return found - ({"Calibri"} if is_unchosen else set()), set()


def of_open_document(content, styles):
    faces = dict(re.findall(r'<style:font-face style:name="([^"]*)" svg:font-family="([^"]*)"', styles + content))
    blocks, parents = {}, {}
    for block in blocks_of(styles, "style:style "):
        named, based = re.search(r'\bstyle:name="([^"]*)"', block), re.search(r'\bstyle:parent-style-name="([^"]*)"', block)
        if named is not None:
            blocks[named[1]], parents[named[1]] = block, based[1] if based else ""
    usual = "".join(blocks_of(styles, "style:default-style"))
    used = closure({"Standard", "Default", "standard", *ODF_USED.findall(content)}, parents)
    shown = content + usual + "".join(blocks[name] for name in used)
    return tuple({faces.get(name, name) for name in pattern.findall(shown)} for pattern in (ODF_FONT, ODF_ASIAN))


def of_rich_text(text):
    faces = dict(re.findall(r"\{\\f(\d{1,5})(?:\\[a-z]+-?\d*|\{[^{}]*\}|\s)*([^\\{};]{1,80});", text))
    used = set(re.findall(r"\\f(\d{1,5})\b(?![^{}]{0,80};\})", text))
    return {faces[number] for number in used if number in faces}, set()


def used_in(path):
    """Latin and CJK font families, as named in the document."""
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            text = file.read(MARKUP_BYTES).decode("utf-8", "replace")
        if text.startswith("{\\rtf"):
            return of_rich_text(text)
        head, _, body = text.partition("<office:body>")
        return of_open_document(body + "".join(blocks_of(head, "office:automatic-styles")), head) if body else (set(), set())
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()

        left = MARKUP_BYTES

        def read(wanted):
            nonlocal left
            for name in names:
                if left > 0 and (name == wanted if isinstance(wanted, str) else wanted.fullmatch(name)):
                    with archive.open(name) as member:
                        text = member.read(left)
                    left -= len(text)
                    yield text.decode("utf-8", "replace")

        for folder, of_format in (("word/", of_word), ("ppt/", of_slides), ("xl/", of_sheets)):
            if any(name.startswith(folder) for name in names):
                return of_format(read)
        return of_open_document(styles="".join(read("styles.xml")), content="".join(read("content.xml")))


def replaced(document, pdf, here):
    """Font families of the document that the PDF replaces with others that
    the document does not name. Empty if the document cannot be read."""
    if not here:
        return []
    try:
        drawn = drawn_in(pdf)
        latin, asian = used_in(document)
        # A style's Asian family is used only if there is a CJK character.
        used = latin | (asian if any("cjk" in name for name in drawn) else set())
        names = {html.unescape(name).split(";")[0].strip("'\" ") for name in used}
        named = {comparable(name) for name in names}
        # Bullets use the office's own font, whatever the document says.
        if drawn - {"opensymbol"} <= named:
            return []
        missing = [name for name in names if (key := comparable(name)) != "" and key not in here and not any(each.startswith(key) for each in drawn)]
        return sorted(missing)[:ANSWERED]
    except (OSError, KeyError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        return []
