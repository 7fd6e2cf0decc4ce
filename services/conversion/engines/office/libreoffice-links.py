"""Relative links in workbooks of Excel, which the office makes absolute."""
import re
import zipfile
from xml.etree import ElementTree

from results import excel_sheets, local, relations, told


def shorten(document, path, is_page):
    """A link into the workbook itself must not name our file. On a page, nor may others."""
    own, folder = "file://" + path, "file://" + path.rpartition("/")[0] + "/"
    sheets = document.getSheets()
    for name, reference in relative_links(path):
        if not sheets.hasByName(name):
            continue
        fields = sheets.getByName(name).getCellRangeByName(reference.partition(":")[0]).getTextFields().createEnumeration()
        while fields.hasMoreElements():
            field = fields.nextElement()
            url = getattr(field, "URL", "")
            if url.startswith(own + "#"):
                field.URL = url[len(own) :].replace("!", ".")
            elif is_page and url.startswith(folder):
                field.URL = url[len(folder) :]


def relative_links(path):
    """Names of sheets and cells with a link that has no scheme, as to a file beside the workbook."""
    found = []
    try:
        with zipfile.ZipFile(path) as package:
            names = set(package.namelist())
            for name, part in excel_sheets(package):
                if re.sub(r"([^/]+)$", r"_rels/\1.rels", part) in names:
                    found += [(name, reference) for reference in linked_cells(package, part)]
    except (ElementTree.ParseError, KeyError, OSError, ValueError, zipfile.BadZipFile):
        # The office could read the rest.
        pass
    return found


def linked_cells(package, part):
    wanted = {key for key, (kind, target) in relations(package, part, False).items() if kind.endswith("/hyperlink") and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target)}
    if not wanted:
        return
    with package.open(part) as content:
        for _, element in ElementTree.iterparse(content):
            if local(element.tag) == "hyperlink" and told(element, "id") in wanted:
                yield element.get("ref", "")
            elif local(element.tag) == "row":
                element.clear()
