"""What documents say that the result does not show: properties, frames, the speaker's notes, and diagrams that the office fails to lay out."""
import html
import re
import zipfile
from xml.etree import ElementTree

from packages import DAMAGED, MOST_BYTES, TYPES, local, may_mention

PICTURE = re.compile(r'<img src="[^"]*" name="([^"]*)"')
DIAGRAM = re.compile(r"ppt/diagrams/data\d*\.xml")
SPEECH = re.compile(rb"notesSlide", re.I)
LINK = re.compile(rb"/hyperlink[\"']")
# Sheets refer to the addresses of their links there; a package has one of the others in any case.
RELATIONS = re.compile(r"xl/worksheets/_rels/.*|\[Content_Types\]\.xml|mimetype")
# A formula with an address and a label.
LABELLED = re.compile(rb"HYPERLINK\((?:(?!HYPERLINK\()[^<,])*,", re.I)
FORMULAS = re.compile(r"xl/worksheets/[^/]+\.xml|mimetype")
# The office names them so. Those of the program that wrote the file say nothing about the document.
OF_WORD = "OOXMLCoreProperty"
OF_PROGRAM = set("AppVersion DocSecurity HyperlinksChanged LinksUpToDate PresentationFormat ScaleCrop ShareDoc _TemplateID".split())
# A person may name a property like these, but hardly gives it a number.
COUNTS = set("HiddenSlides MMClips Notes Slides".split())


def members(many):
    return (many.getByIndex(index) for index in range(many.getCount()))


def shapes_of(shapes):
    for shape in members(shapes):
        yield shape
        if shape.getShapeType().endswith(".GroupShape"):
            yield from shapes_of(shape)


# Of a picture, chart or table in a Word document.
DESCRIBED = re.compile(rb'<wp:docPr\b[^<>]*?\bdescr="([^"]+)"|<w:tbl(?:Caption|Description)\b[^<>]*?\bw:val="([^"]+)"')
PART = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")


def descriptions_left_out(document, job):
    """Whether descriptions of pictures go: the office reads none of charts, tables and turned pictures of Word, and writes none to DOC."""
    kept = descriptions(document.getDrawPage())
    if job["exportFilter"].startswith("MS Word 97"):
        return bool(kept) or bool(described_in(job["input"]))
    return not described_in(job["input"]) <= kept


def descriptions(shapes):
    return {plain(getattr(shape, name, "")) for shape in shapes_of(shapes) for name in ("Title", "Description")} - {""}


def described_in(path):
    try:
        with zipfile.ZipFile(path) as package:
            parts = [package.open(name).read(MOST_BYTES) for name in filter(PART.fullmatch, package.namelist())]
    except DAMAGED:
        return set()
    return {plain(html.unescape((one or other).decode("utf-8", "replace"))) for part in parts for one, other in DESCRIBED.findall(part)} - {""}


def plain(text):
    return "".join(text.split())


def kinds_left_out(document, job):
    if document.supportsService("com.sun.star.text.TextDocument"):
        return {*kinds_of_text(document, job), *(["descriptions"] if descriptions_left_out(document, job) else [])}
    if job["exportFilter"] == "HTML (StarCalc)":
        shapes = (shape for sheet in document.getSheets() if sheet.IsVisible for shape in shapes_of(sheet.getDrawPage()))
        return {"frames"} if any(map(is_labelled, shapes)) else set()
    if job["exportFilter"] in ("Text - txt - csv (StarCalc)", "DIF", "dBase"):
        kinds = ((LINK, RELATIONS), (LABELLED, FORMULAS))
        is_linked = zipfile.is_zipfile(job["input"]) and any(may_mention(job["input"], words, parts) for words, parts in kinds)
        return {"addresses"} if is_linked else set()
    if not document.supportsService("com.sun.star.presentation.PresentationDocument"):
        return set()
    pages = document.getDrawPages()
    found = set()
    if job["exportFilter"].endswith("_pdf_Export") and any(is_beside(shape, page) for page in pages for shape in members(page)):
        found.add("beside")
    if job["exportFilter"].endswith("_pdf_Export") and may_mention(job["input"], SPEECH, TYPES) and any(map(is_spoken, pages)):
        found.add("speech")
    if job["exportFilter"].startswith("MS PowerPoint 97") and any(map(descriptions, pages)):
        found.add("descriptions")
    if "slides" in job and any(map(has_common_text, pages)):
        found.add("masters")
    told = set(words_in_diagrams(job["input"]))
    if told:
        shown = (shape.getString() for page in pages for shape in shapes_of(page) if hasattr(shape, "getString"))
        if not told <= {words for text in shown for words in lines_of(text)}:
            found.add("diagrams")
    return found


def kinds_of_text(document, job):
    if job["exportFilter"] == "HTML (StarWriter)":
        return {"frames"} if has_drawn_text(document, job["output"]) else set()
    if job["exportFilter"] == "Rich Text Format":
        found = {
            "even heads": any(map(has_even_heads, members(document.getStyleFamilies().getByName("PageStyles")))),
            "drawings": lacks_drawings(document, job["output"]),
            "charts": any(each.CLSID.upper() != FORMULA for each in members(document.getEmbeddedObjects())) and not found_in(job["output"], OBJECT),
        }
        return {kind for kind, is_so in found.items() if is_so}
    return set()


def has_drawn_text(document, path):
    """Whether frames that hold text or tables became pictures, which the office names after them."""
    frames = document.getTextFrames()
    if not frames.hasElements():
        return False
    with open(path, encoding="utf-8", errors="replace") as page:
        drawn = {html.unescape(name) for name in PICTURE.findall(page.read())}
    return any(holds_text(frames.getByName(name)) for name in frames.getElementNames() if name in drawn)


# Pictures and frames of text have these types. @see [MS-ODRAW] 2.4.24
SHAPE = re.compile(rb"\{\\sn shapeType\}\{\\sv (?!75\}|202\})")
# Of embedded formulas, which RTF has as such.
FORMULA = "078B7ABA-54FC-457F-8551-6147E776A997"
OBJECT = re.compile(rb"\\objdata\b")
WORD = re.compile(r"[A-Za-z0-9]{3,}")


def lacks_drawings(document, path):
    """Whether drawings of a text are not in its RTF: the writer leaves out groups from Word and kinds of shapes, and the text in groups."""
    kinds = (".GraphicObjectShape", ".GroupShape", ".ControlShape", ".OLE2Shape")
    drawn = [shape for shape in shapes_of(document.getDrawPage()) if is_drawn(shape) and not shape.getShapeType().endswith(kinds)]
    if not drawn:
        return False
    with open(path, "rb") as file:
        made = file.read()
    return len(SHAPE.findall(made)) < len(drawn) or not all(shows(made, shape.getString()) for shape in drawn if is_labelled(shape))


def found_in(path, pattern):
    with open(path, "rb") as file:
        return pattern.search(file.read()) is not None


def is_drawn(shape):
    return shape.getShapeType().startswith("com.sun.star.drawing.")


def shows(made, text):
    """By the longest words, of which any may be written in parts; of other alphabets by the first letter."""
    words = sorted(WORD.findall(text), key=len)[-3:]
    signs = [b"\\u%d" % ord(letter) for letter in text if 0x100 <= ord(letter) < 0x8000][:1]
    return not words and not signs or any(each in made for each in [*map(str.encode, words), *signs])


def is_labelled(shape):
    """Whether it holds text, other than a comment."""
    return not shape.getShapeType().endswith(".CaptionShape") and hasattr(shape, "getString") and bool(shape.getString().strip())


def is_beside(shape, page):
    """Whether it holds text that is outside its page."""
    area = shape.BoundRect
    is_outside = area.X >= page.Width or area.Y >= page.Height or area.X + area.Width <= 0 or area.Y + area.Height <= 0
    return is_outside and any(map(is_labelled, shapes_of(shape) if shape.getShapeType().endswith(".GroupShape") else [shape]))


def has_even_heads(style):
    """Whether even pages have a header or footer of their own."""
    return style.isInUse() and any(
        style.getPropertyValue(kind + "IsOn") and not style.getPropertyValue(kind + "IsShared") and style.getPropertyValue(kind + "TextLeft").getString().strip()
        for kind in ("Header", "Footer")
    )


def holds_text(frame):
    contents = frame.createEnumeration()
    while contents.hasMoreElements():
        if (each := contents.nextElement()).supportsService("com.sun.star.text.TextTable") or each.getString().strip():
            return True
    return False


def properties_left_out(document):
    """Names of what a PDF has no place for."""
    properties = document.DocumentProperties
    own = sorted((each.Name, each.Value) for each in properties.UserDefinedProperties.PropertyValues)
    said = [each for each in own if each[0] not in OF_PROGRAM and not (each[0] in COUNTS and str(each[1]).isdigit())]
    named = {name.removeprefix(OF_WORD): value for name, value in [("description", properties.Description), *said]}
    return [name.lower() if name in ("Category", "Company", "Manager") else name for name, value in named.items() if str(value).strip()]


def has_common_text(page):
    """Whether it shows text of its master, which is no placeholder."""
    return page.IsBackgroundObjectsVisible and any(is_drawn(shape) and is_labelled(shape) for shape in shapes_of(page.MasterPage))


def is_spoken(page):
    notes = page.getNotesPage()
    return any(shape.getShapeType().endswith(".NotesShape") and shape.getString().strip() for shape in shapes_of(notes))


def lines_of(text):
    return (words for line in text.splitlines() if (words := "".join(line.split())))


def words_in_diagrams(path):
    """Lines of text without spaces. @see ECMA-376 part 1, 21.4"""
    try:
        with zipfile.ZipFile(path) as package:
            for name in filter(DIAGRAM.fullmatch, package.namelist()):
                said = []
                for element in ElementTree.fromstring(package.open(name).read(MOST_BYTES)).iter():
                    kind = local(element.tag)
                    if kind == "t":
                        said.append(element.text or "")
                    elif kind in ("p", "br"):
                        said.append("\n")
                yield from lines_of("".join(said))
    except DAMAGED:
        return
