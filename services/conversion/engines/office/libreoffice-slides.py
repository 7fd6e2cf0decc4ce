"""Extracts the content of slides: titles, paragraphs, nested lists, tables, pictures, charts as tables, and the speaker's notes.

Reads the loaded document rather than a file, so that it works for every slide format that the office opens.
"""
import base64
import json
import os
import re
from datetime import date, timedelta

import uno  # makes com.sun.star importable
from com.sun.star.beans import PropertyValue

# @see com.sun.star.style.NumberingType: a paragraph without a mark is not a list item; a character or bitmap is a bullet.
NO_MARK, SIGN, PICTURE_MARK = 5, 6, 8
FIXED_PITCH = 1
# @see com.sun.star.util.NumberFormat
DATE = 2
FIXED_FONT = re.compile(r"\b(?:courier|consolas|menlo|monaco|mono|monospace|source code|fira code)\b", re.I)
SKIPPED = re.compile(r"\.(?:Footer|DateTime|SlideNumber|Header|Page|Handout)Shape$")
WRITTEN = {"image/png", "image/jpeg", "image/gif"}
MOST_GROUPS = 50
NUMBER = "<number>"  # As the office shows the field of a slide's number.


def value(thing, name, fallback=None):
    """For a property that not every object has."""
    try:
        return thing.getPropertyValue(name)
    except Exception:
        return fallback


def members(many):
    return [many.getByIndex(index) for index in range(many.getCount())]


def largest(shapes):
    """The title if none is marked as such: a short line in larger characters than everything else."""
    sized = [(letters_of(shape), shape) for shape in shapes if hasattr(shape, "createEnumeration") and shape.getString().strip()]
    sized.sort(key=lambda each: each[0], reverse=True)
    if not sized or len(shapes) == 1 or len(sized) > 1 and sized[0][0] < 1.1 * sized[1][0]:
        return None
    text = sized[0][1].getString().strip()
    return sized[0][1] if len(text) <= 120 and "\n" not in text else None


def letters_of(shape):
    """The largest font size."""
    return max((value(run, "CharHeight", 0) or 0 for paragraph in parts(shape) for run in parts(paragraph)), default=0)


def parts(text):
    every = text.createEnumeration()
    while every.hasMoreElements():
        yield every.nextElement()


class Reader:
    """`context` creates the service that stores pictures; without it, pictures are only described."""

    def __init__(self, context=None):
        self.context = context
        self.number = self.pictures_left = 0
        self.has_footers = False

    def slides(self, document):
        return [self.slide(place + 1, page) for place, page in enumerate(members(document.getDrawPages()))]

    def slide(self, number, page):
        self.number, shapes, title, blocks = number, members(page), None, []
        self.has_footers |= value(page, "IsFooterVisible", False) and value(page, "FooterText", "") != ""
        head = next((shape for shape in shapes if shape.getShapeType().endswith(".TitleTextShape")), None) or largest(shapes)
        if head is not None and not value(head, "IsEmptyPresentationObject", False):
            title = re.sub(r"\s+", " ", head.getString()).strip() or None
        for shape in shapes:
            if shape != head:
                blocks.extend(self.blocks(shape))
        said = [block for shape in members(page.getNotesPage()) for block in self.blocks(shape)]
        return {"number": number, "title": title, "isHidden": value(page, "Visible", True) is False, "blocks": blocks, "notes": said}

    def blocks(self, shape, depth=0):
        kind = shape.getShapeType()
        if SKIPPED.search(kind):
            self.has_footers |= kind.endswith((".FooterShape", ".HeaderShape", ".DateTimeShape")) and shape.getString().strip() != ""
            return []
        if value(shape, "IsEmptyPresentationObject", False):
            return []
        if kind.endswith(".GroupShape"):
            return [block for member in members(shape) for block in self.blocks(member, depth + 1)] if depth < MOST_GROUPS else []
        if kind.endswith(".TableShape"):
            return [self.table(shape.Model)]
        if kind.endswith((".GraphicObjectShape", ".MediaShape")):
            return [self.picture(shape), *self.texts(shape)]
        if kind.endswith((".OLE2Shape", ".ChartShape", ".CalcShape")):
            chart = self.chart(shape)
            return [chart if chart is not None else self.picture(shape)]
        described = value(shape, "Description") or ""
        texts = self.texts(shape)
        return texts or ([{"type": "paragraph", "runs": [plain(described)]}] if described else [])

    def texts(self, shape):
        return in_lists(self.paragraphs(shape)) if hasattr(shape, "createEnumeration") else []

    def paragraphs(self, text):
        # Checked first, otherwise the cells of a table enumerate nothing.
        is_number = lambda: any(value(part, "TextPortionType") == "TextField" for paragraph in parts(text) for part in parts(paragraph))
        if (shown := text.getString().strip()) == "" or shown == NUMBER and is_number():
            return []
        found = []
        for paragraph in parts(text):
            runs = [run for part in parts(paragraph) if (run := run_of(part, self.number))["text"] != ""]
            if any(run["text"].strip() for run in runs):
                found.append({**mark_of(paragraph), "runs": runs})
        return found

    def table(self, model):
        rows = []
        for row in range(model.getRows().getCount()):
            cells = []
            for column in range(model.getColumns().getCount()):
                cell = model.getCellByPosition(column, row)
                if not cell.isMerged():
                    spans = {"columns": cell.getColumnSpan(), "rows": cell.getRowSpan()}
                    cells.append({**{name: count for name, count in spans.items() if count > 1}, "blocks": in_lists(self.paragraphs(cell))})
            rows.append(cells)
        return {"type": "table", "rows": rows}

    def chart(self, shape):
        """The data behind a chart, which is all that text can express."""
        try:
            chart = shape.Model
            data = chart.getData()
            names, values = days(chart, data.getRowDescriptions()), data.getData()
            # Charts of points have no categories, but columns without a name for what is across.
            columns = [column or ("" if names else "X") for column in data.getColumnDescriptions()]
            rows = [[title_of(chart.getDiagram(), "XAxisTitle"), *columns], *([name, *map(shown, row)] for name, row in zip(names or [""] * len(values), values))]
            title = ": ".join(filter(None, (title_of(chart, "MainTitle"), title_of(chart.getDiagram(), "YAxisTitle"))))
        except Exception:
            return None
        cells = [[{"blocks": [{"type": "paragraph", "runs": [plain(text)]}] if text else []} for text in row] for row in rows]
        return {"type": "table", "caption": title or value(shape, "Description") or "", "rows": cells}

    def picture(self, shape):
        told = value(shape, "Description") or value(shape, "Title") or ""
        stored = None if self.context is None else self.stored(value(shape, "Graphic") or value(shape, "ReplacementGraphic"))
        if stored is None:
            self.pictures_left += 1
            return {"type": "picture", "text": told}
        return {"type": "picture", "text": told, "source": stored}

    def stored(self, graphic):
        if graphic is None:
            return None
        mime = graphic.MimeType if graphic.MimeType in WRITTEN else "image/png"
        path = os.environ["TMPDIR"] + "/slide-picture"
        provider = self.context.ServiceManager.createInstanceWithContext("com.sun.star.graphic.GraphicProvider", self.context)
        try:
            provider.storeGraphic(graphic, (PropertyValue("URL", 0, "file://" + path, 0), PropertyValue("MimeType", 0, mime, 0)))
            with open(path, "rb") as file:
                return f"data:{mime};base64,{base64.b64encode(file.read()).decode()}"
        except Exception:
            return None


def title_of(thing, name):
    """Of a chart or an axis, if it has one."""
    return getattr(thing, name.removeprefix("Main")).String if value(thing, "Has" + name, False) else ""


def days(chart, names):
    """Converts the categories of a date axis, which the office returns as numbers."""
    axis = chart.getDiagram().XAxis
    if not chart.getNumberFormats().getByKey(axis.NumberFormat).Type & DATE or not all(re.fullmatch(r"\d{1,6}", name) for name in names):
        return names
    return [(date(1899, 12, 30) + timedelta(int(name))).isoformat() for name in names]


def shown(number):
    return "" if number != number else str(int(number)) if float(number).is_integer() else repr(number)


def plain(text):
    return {"text": text, "marks": (), "link": None}


def run_of(portion, number):
    is_fixed = value(portion, "CharFontPitch") == FIXED_PITCH or FIXED_FONT.search(value(portion, "CharFontName") or "") is not None
    raised = value(portion, "CharEscapement", 0) or 0
    marks = {
        "strong": (value(portion, "CharWeight", 100) or 100) > 110,
        "em": getattr(value(portion, "CharPosture"), "value", "NONE") in ("ITALIC", "OBLIQUE"),
        "del": (value(portion, "CharStrikeout", 0) or 0) not in (0, 3),
        "sup": raised > 0,
        "sub": raised < 0,
        "code": is_fixed,
    }
    field = value(portion, "TextField") if value(portion, "TextPortionType") == "TextField" else None
    text = portion.getString() if field is None or portion.getString() != NUMBER else str(number)
    return {"text": text, "marks": tuple(name for name, has in marks.items() if has), "link": (field and value(field, "URL")) or None}


def mark_of(paragraph):
    """The list level of a paragraph, from 0, and its mark; no level if it has no mark."""
    level = value(paragraph, "NumberingLevel", -1)
    rules = value(paragraph, "NumberingRules")
    if level is None or level < 0 or rules is None or level >= rules.getCount():
        return {"level": None, "indent": 0}
    rule = {each.Name: each.Value for each in rules.getByIndex(level)}
    kind = rule.get("NumberingType", NO_MARK)
    if kind == NO_MARK or value(paragraph, "NumberingIsNumber", True) is False or kind == SIGN and not rule.get("BulletChar", "").strip():
        return {"level": None, "indent": level}
    return {"level": level, "indent": level, "isOrdered": kind not in (SIGN, PICTURE_MARK), "start": rule.get("StartWith", 1)}


def in_lists(paragraphs):
    """Groups marked paragraphs into nested lists, and lines of code into blocks."""
    blocks, lists = [], []
    for paragraph in paragraphs:
        level, runs = paragraph["level"], paragraph["runs"]
        into = blocks
        if level is None:
            while lists and (paragraph["indent"] == 0 or lists[-1]["level"] >= paragraph["indent"]):
                lists.pop()
            into = lists[-1]["items"][-1] if lists else blocks
        else:
            while lists and (lists[-1]["level"] > level or lists[-1]["level"] == level and lists[-1]["isOrdered"] != paragraph["isOrdered"]):
                lists.pop()
            if not lists or lists[-1]["level"] < level:
                made = {"type": "list", "level": level, "isOrdered": paragraph["isOrdered"], "start": paragraph["start"], "items": []}
                (lists[-1]["items"][-1] if lists else blocks).append(made)
                lists.append(made)
            into = []
            lists[-1]["items"].append(into)
        if level is None and all("code" in run["marks"] or not run["text"].strip() for run in runs):
            code = "".join(run["text"] for run in runs)
            if into and into[-1]["type"] == "code":
                into[-1]["text"] += "\n" + code
            else:
                into.append({"type": "code", "text": code})
        else:
            into.append({"type": "paragraph", "runs": runs})
    return blocks


def language_of(document):
    return getattr(value(document, "CharLocale"), "Language", "")


def text_of(blocks):
    """Plain text of blocks, one line each."""
    lines = []
    for block in blocks:
        if block["type"] == "paragraph":
            lines.append("".join(run["text"] for run in block["runs"]).strip())
        elif block["type"] == "code":
            lines.append(block["text"])
        elif block["type"] == "list":
            lines.extend(text_of(item) for item in block["items"])
    return "\n".join(lines)


def as_json(slides):
    """Slides with their blocks: list items with a level from 1, table rows, picture descriptions."""

    def items(block, level):
        for item in block["items"]:
            own = [part for part in item if part["type"] != "list"]
            yield {"level": level, "ordered": block["isOrdered"], "text": text_of(own)}
            for part in item:
                if part["type"] == "list":
                    yield from items(part, level + 1)

    def cell(given):
        spans = {key: given[name] for key, name in (("columnSpan", "columns"), ("rowSpan", "rows")) if name in given}
        return {"text": text_of(given["blocks"]), **spans} if spans else text_of(given["blocks"])

    def plain_block(block):
        kind = block["type"]
        if kind == "list":
            return {"type": kind, "items": list(items(block, 1))}
        if kind == "table":
            caption = {"caption": block["caption"]} if block.get("caption") else {}
            return {"type": kind, **caption, "rows": [[cell(each) for each in row] for row in block["rows"]]}
        if kind == "paragraph":
            links = [{"text": run["text"], "url": run["link"]} for run in block["runs"] if run["link"]]
            return {"type": kind, "text": text_of([block]), **({"links": links} if links else {})}
        return {"type": kind, "text": block["text"]}

    made = [
        {
            "number": slide["number"],
            "title": slide["title"],
            "hidden": slide["isHidden"],
            "blocks": [plain_block(block) for block in slide["blocks"]],
            "notes": text_of(slide["notes"]) or None,
        }
        for slide in slides
    ]
    return json.dumps({"slides": made}, ensure_ascii=False, indent=2) + "\n"
