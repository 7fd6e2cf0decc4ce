"""Prints a loaded page on paper, with all that a reader of the page can unfold or scroll to."""

import base64
import html
import json

import devtools
import pages

MILLIMETRES = 25.4
PAPERS = {  # inches, as the browser expects
    "a3": (11.69, 16.54),
    "a4": (8.27, 11.69),
    "a5": (5.83, 8.27),
    "letter": (8.5, 11),
    "legal": (8.5, 14),
    "tabloid": (11, 17),
}
# A link to a page that is not part of the input would point to an address that only this worker knows.
LINKS = """((origins) => {
  let cut = false;
  for (const link of document.querySelectorAll("a[href], area[href]")) {
    const isInside = link.getAttribute("href").startsWith("#") || link.href.split("#")[0] === document.URL.split("#")[0];
    if (isInside || !(origins.some((each) => link.href.startsWith(each)) || /^(file|cid|blob):/i.test(link.href))) continue;
    const { color, textDecoration } = getComputedStyle(link);
    link.removeAttribute("href");
    link.style.color = color;
    link.style.textDecoration = textDecoration;
    cut = true;
  }
  return cut;
})"""
# Nobody can unfold them on paper. Of those with the same name, only one could be open.
UNFOLD = """(() => {
  for (const folded of document.querySelectorAll("details")) {
    folded.removeAttribute("name");
    folded.open = true;
  }
})()"""
STYLE = """((css) => {
  const style = document.createElementNS("http://www.w3.org/1999/xhtml", "style");
  style.textContent = css;
  document.documentElement.append(style);
})"""
# What must be scrolled to would be missing, too. Lines of code are wrapped; a wider page is fitted to the paper.
UNROLL = """(() => {
  for (const box of document.querySelectorAll("body *")) {
    const { overflowX, overflowY } = getComputedStyle(box);
    if (![overflowX, overflowY].some((each) => each === "auto" || each === "scroll")) continue;
    const [isLong, isWide] = [box.scrollHeight > box.clientHeight + 1, box.scrollWidth > box.clientWidth + 1];
    if (!isLong && !isWide) continue;
    if (box.localName === "textarea") box.style.height = `${box.scrollHeight + 4}px`;
    else {
      const isCode = isWide && getComputedStyle(box).whiteSpace === "pre";
      const rules = ["overflow:visible", ...(isLong ? ["height:auto", "max-height:none"] : []), ...(isCode ? ["white-space:pre-wrap", "overflow-wrap:anywhere"] : [])];
      for (const rule of rules) box.style.setProperty(...rule.split(":"), "important");
    }
  }
})()"""
WIDTH = """((isChosen) => {
  const rules = [...document.styleSheets].flatMap((sheet) => { try { return [...sheet.cssRules]; } catch { return []; } });
  const isSized = rules.some((rule) => rule instanceof CSSPageRule && rule.style.size !== "");
  return isSized && !isChosen ? 0 : document.documentElement.scrollWidth;
})"""
# Of what a page says about itself, the browser writes only title and language.
TOLD = """[...document.querySelectorAll("meta[name][content]")]
  .filter(({ name, content }) => /^(author|subject|description|keywords)$/i.test(name) && content.trim() !== "").map(({ name }) => name.toLowerCase())"""
# The browser itself shrinks a page by as much as this. Still smaller letters than at the least scale cannot be read.
SHRINKS, LEAST_SCALE, PIXELS_PER_INCH = 4 / 3, 0.4, 96


def print_pdf(page, options):
    if page.evaluate(f"{LINKS}({json.dumps([pages.ORIGIN, pages.PARTS])})"):
        page.note("ENTRIES_LEFT_OUT", "Links to files that are not part of the page lead nowhere and were left out.")
    told = list(dict.fromkeys(page.evaluate(TOLD) or []))
    if told:
        page.note("TEXT_LEFT_OUT", f"Properties of the document were left out: {', '.join(told)}.")
    page.evaluate(UNFOLD)
    style = style_of(options)
    if style:
        page.evaluate(f"{STYLE}({json.dumps(style)})")
    width, height = PAPERS[options.get("pageSize") or "a4"]
    margin = options.get("margin", 10) / MILLIMETRES
    sides = {f"margin{side}": margin for side in ("Top", "Right", "Bottom", "Left")}
    side = height if options.get("landscape") is True else width
    scale = fitting(page, options, (side - 2 * margin) * PIXELS_PER_INCH * SHRINKS)
    try:
        stream = page.browser.call(
            "Page.printToPDF",
            **sides,
            **heads_of(options),
            paperWidth=width,
            paperHeight=height,
            landscape=options.get("landscape") is True,
            scale=scale,
            printBackground=options.get("background") is not False,
            pageRanges=options.get("pages") or "",
            preferCSSPageSize=True,
            generateTaggedPDF=True,
            generateDocumentOutline=True,
            transferMode="ReturnAsStream",
        )["stream"]
    except devtools.Refused as error:
        if "range" in str(error).lower():
            raise pages.Unusable("INVALID_OPTION", "The document has none of these pages.") from error
        raise
    parts = []
    while True:
        part = page.browser.call("IO.read", handle=stream, size=1 << 22)
        parts.append(base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode())
        if part["eof"]:
            return b"".join(parts)


def fitting(page, options, room):
    """The scale at which the whole width of the page fits the paper, unless its author has chosen the paper or the caller the scale."""
    scale = options.get("scale", 1)
    page.browser.call("Emulation.setDeviceMetricsOverride", width=max(1, round(room / scale)), height=1000, deviceScaleFactor=1, mobile=False)
    page.evaluate(UNROLL)
    is_chosen = "pageSize" in options or "landscape" in options
    wide = page.evaluate(f"{WIDTH}({json.dumps(is_chosen)})") or 0
    if scale == 1 and wide > room:
        scale = max(LEAST_SCALE, room / wide)
    if wide * scale > room + 1:
        page.note("TEXT_LEFT_OUT", "What is beyond the right edge of the paper was left out; a smaller scale or a larger pageSize makes room.")
    return scale


def style_of(options):
    """Options override the page's own paper settings."""
    size = options.get("pageSize")
    lies = options.get("landscape")
    rules = []
    if size or lies is not None:
        width, height = PAPERS[size or "a4"]
        rules.append(f"size: {height}in {width}in !important" if lies else f"size: {width}in {height}in !important")
    if "margin" in options:
        rules.append(f"margin: {options['margin']}mm !important")
    return f"@page {{ {'; '.join(rules)} }}" if rules else ""


def heads_of(options):
    """Header and footer lines of each page."""
    if not (options.get("header") or options.get("footer")):
        return {}
    return {
        "displayHeaderFooter": True,
        "headerTemplate": head_of(options.get("header")),
        "footerTemplate": head_of(options.get("footer")),
    }


def head_of(text):
    line = html.escape(text or "")
    for name, inserted in (("page", "pageNumber"), ("pages", "totalPages"), ("title", "title")):
        line = line.replace(f"{{{name}}}", f'<span class="{inserted}"></span>')
    return f'<div style="width: 100%; text-align: center; font: 8pt sans-serif">{line}</div>'
