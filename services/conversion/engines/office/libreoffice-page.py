"""Slides as an HTML page: a section each, with its title as the heading and the speaker's notes in an aside."""
import re
from html import escape

HEAD = '<!DOCTYPE html>\n<html{language}>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'
LINKS = re.compile(r"(?:https?|mailto|ftp):", re.I)


def page(slides, title, language):
    parts = [HEAD.format(language=f' lang="{escape(language)}"' if language else "", title=escape(title))]
    for slide in slides:
        hidden = ' class="hidden"' if slide["isHidden"] else ""
        # A slide without a title still needs a boundary.
        head = f"<h1>{escape(slide['title'])}</h1>" if slide["title"] else "<hr>" if slide["number"] > 1 else ""
        parts.append(f'<section id="slide-{slide["number"]}"{hidden}>\n{head}\n{blocks(slide["blocks"])}')
        if slide["notes"]:
            parts.append(f'<aside class="notes">\n<blockquote>\n{blocks(slide["notes"])}</blockquote>\n</aside>\n')
        parts.append("</section>\n")
    return "".join(parts) + "</body>\n</html>\n"


def blocks(given):
    return "".join(block(each) for each in given)


def block(given):
    kind = given["type"]
    if kind == "paragraph":
        return f"<p>{runs(given['runs'])}</p>\n"
    if kind == "code":
        return f"<pre><code>{escape(given['text'])}</code></pre>\n"
    if kind == "picture":
        source = given.get("source")
        shown = f'<img src="{source}" alt="{escape(given["text"])}">' if source else escape(given["text"])
        return f"<p>{shown}</p>\n" if shown else ""
    if kind == "list":
        name = "ol" if given["isOrdered"] else "ul"
        start = f' start="{given["start"]}"' if given["isOrdered"] and given["start"] != 1 else ""
        return f"<{name}{start}>\n" + "".join(f"<li>{content(item)}</li>\n" for item in given["items"]) + f"</{name}>\n"
    return table(given)


def table(given):
    caption = f"<caption>{escape(given['caption'])}</caption>\n" if given.get("caption") else ""
    rows = []
    for place, row in enumerate(given["rows"]):
        name = "th" if place == 0 else "td"
        rows.append("<tr>" + "".join(f"<{name}{spans(cell)}>{content(cell['blocks'])}</{name}>" for cell in row) + "</tr>\n")
    return f"<table>\n{caption}<thead>\n{rows[0]}</thead>\n<tbody>\n{''.join(rows[1:])}</tbody>\n</table>\n" if rows else ""


def spans(cell):
    return "".join(f' {name}="{cell[key]}"' for name, key in (("colspan", "columns"), ("rowspan", "rows")) if key in cell)


def content(given):
    """A single paragraph is written inline: as a block it would make a list loose, and a table one that Markdown cannot express."""
    if given and given[0]["type"] == "paragraph" and all(each["type"] == "list" for each in given[1:]):
        return runs(given[0]["runs"]) + blocks(given[1:])
    if all(each["type"] == "paragraph" for each in given):
        return "<br>".join(runs(each["runs"]) for each in given)
    return blocks(given)


def runs(given):
    """Merges neighbours with the same formatting, because the office splits words wherever they were edited."""
    joined = []
    for run in given:
        if joined and joined[-1]["marks"] == run["marks"] and joined[-1]["link"] == run["link"]:
            joined[-1] = {**run, "text": joined[-1]["text"] + run["text"]}
        else:
            joined.append(run)
    return "".join(marked(run) for run in joined).strip()


def marked(run):
    text = run["text"]
    bare = text.strip()
    if not bare:
        return escape(text)
    # Outer blanks are kept outside the element: Markdown emphasis cannot start or end with one.
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    made = escape(bare).replace("\n", "<br>")
    for mark in reversed(run["marks"]):
        made = f"<{mark}>{made}</{mark}>"
    if run["link"] and LINKS.match(run["link"]):
        made = f'<a href="{escape(run["link"])}">{made}</a>'
    return before + made + after
