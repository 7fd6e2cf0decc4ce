"""Prunes the tags of pages that were taken out of a PDF: tags have text of their own, such as descriptions of pictures."""
from pdf_prune import named_in
from pikepdf import Array, Dictionary

# Limits traversal and drops the rest: untrusted files may contain cycles.
MOST = 500_000
TEXTS = ("/ActualText", "/Alt", "/E", "/T")


def kids_of(item):
    kids = item.get("/K")
    return list(kids) if isinstance(kids, Array) else [] if kids is None else [kids]


def is_element(kid):
    return isinstance(kid, Dictionary) and "/S" in kid


def elements_of(pdf, root):
    """The root and all elements, parents before children, as indirect objects, with each one's parent index."""
    items, parents, seen = [root], [-1], set()
    for at, item in enumerate(items):
        kids = kids_of(item)
        if any(is_element(kid) and not kid.is_indirect for kid in kids):
            kids = [pdf.make_indirect(kid) if is_element(kid) and not kid.is_indirect else kid for kid in kids]
            item["/K"] = Array(kids)
        for kid in kids:
            if not is_element(kid) or kid.objgen in seen or len(items) >= MOST:
                continue
            seen.add(kid.objgen)
            items.append(kid)
            parents.append(at)
    return items, parents


def is_here(kid, item, pages):
    """Whether an element's marked content is on a remaining page."""
    page = kid.get("/Pg", item.get("/Pg")) if isinstance(kid, Dictionary) else item.get("/Pg")
    return isinstance(page, Dictionary) and page.objgen in pages


def prune_tags(pdf):
    root = pdf.Root.get("/StructTreeRoot")
    if not isinstance(root, Dictionary):
        return
    pages = {page.obj.objgen for page in pdf.pages}
    items, parents = elements_of(pdf, root)
    below, kept, lost = [[] for _ in items], set(), [False] * len(items)
    for at in range(len(items) - 1, -1, -1):
        item, elements = items[at], below[at][::-1]
        given = kids_of(item)
        marked = [kid for kid in given if not is_element(kid) and is_here(kid, item, pages)]
        count = sum(is_element(kid) for kid in given)
        lost[at] = lost[at] or len(elements) < count or len(marked) + count < len(given)
        # An empty cell has no content, but keeps its place in the row.
        if at > 0 and given and not marked and not any(items[kid].get("/K") is not None for kid in elements):
            lost[parents[at]] = True
            continue
        if lost[at]:
            stays = {items[kid].objgen for kid in elements}
            item["/K"] = Array([kid for kid in given if (kid.objgen in stays if is_element(kid) else is_here(kid, item, pages))])
        if at > 0:
            # Replacement text would still describe the removed part.
            for text in TEXTS if lost[at] or not given else ():
                if text in item:
                    del item[text]
            kept.add(item.objgen)
            below[parents[at]].append(at)
            lost[parents[at]] = lost[parents[at]] or lost[at]
    prune_indexes(pdf, root, kept)


def prune_indexes(pdf, root, kept):
    """The tables that map pages and names to elements."""

    def stays(value):
        return isinstance(value, Dictionary) and value.objgen in kept

    pairs = []
    for number, value in named_in(root.get("/ParentTree"), "/Nums", int):
        if isinstance(value, Array):
            value = Array([each if stays(each) else None for each in value])
        if stays(value) or (isinstance(value, Array) and any(stays(each) for each in value)):
            pairs += [number, value]
    if "/ParentTree" in root:
        root["/ParentTree"] = pdf.make_indirect(Dictionary(Nums=Array(pairs)))
    if "/IDTree" in root:
        names = [each for pair in named_in(root.get("/IDTree")) if stays(pair[1]) for each in pair]
        root["/IDTree"] = pdf.make_indirect(Dictionary(Names=Array(names)))
