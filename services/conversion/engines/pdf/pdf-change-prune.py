"""Removes references to pages that were taken out of a PDF: links, bookmarks, named destinations."""
from decimal import Decimal

from pikepdf import Array, Dictionary, Name, String

# Limits traversal: untrusted files may contain cycles.
MOST = 100_000


def page_of(target, names):
    """The target page of a link or bookmark: None if it was removed, False if the target is elsewhere."""
    goal = target.get("/Dest")
    action = target.get("/A")
    if goal is None and isinstance(action, Dictionary) and action.get("/S") == Name.GoTo:
        goal = action.get("/D")
    if isinstance(goal, (Name, String)):
        goal = names.get(bytes(goal) if isinstance(goal, String) else str(goal))
    return place_of(goal)


def place_of(goal):
    if isinstance(goal, Dictionary):
        goal = goal.get("/D")
    return goal[0] if isinstance(goal, Array) and len(goal) > 0 else False


def named_in(tree, holder="/Names", kind=String):
    """Pairs of a key, a name or number, and its value, in tree order."""
    todo, found, seen = [tree], [], set()
    while todo and len(seen) < MOST:
        node = todo.pop()
        if not isinstance(node, Dictionary) or node.objgen in seen:
            continue
        if node.is_indirect:
            seen.add(node.objgen)
        pairs, kids = node.get(holder), node.get("/Kids")
        if isinstance(pairs, Array):
            found += [(name, goal) for name, goal in zip(list(pairs)[::2], list(pairs)[1::2]) if isinstance(name, kind)]
        if isinstance(kids, Array):
            todo += reversed(list(kids))
    return found


def take_names(pdf):
    """Returns all named destinations, and removes those of deleted pages from the file."""
    table, holder = pdf.Root.get("/Dests"), pdf.Root.get("/Names")
    old = list(table.items()) if isinstance(table, Dictionary) else []
    for name, goal in old:
        if place_of(goal) is None:
            del table[name]
    tree = named_in(holder.get("/Dests")) if isinstance(holder, Dictionary) else []
    kept = [pair for pair in tree if place_of(pair[1]) is not None]
    if len(kept) < len(tree):
        holder["/Dests"] = pdf.make_indirect(Dictionary(Names=Array([each for pair in kept for each in pair])))
    return {**dict(old), **{bytes(name): goal for name, goal in tree}}


def prune(pdf):
    names = take_names(pdf)
    for page in pdf.pages:
        found = page.obj.get("/Annots")
        if isinstance(found, Array):
            kept = [each for each in found if not (isinstance(each, Dictionary) and page_of(each, names) is None)]
            if len(kept) < len(found):
                page.obj.Annots = Array(kept)
    opening = pdf.Root.get("/OpenAction")
    if opening is not None and page_of(Dictionary(A=opening) if isinstance(opening, Dictionary) else Dictionary(Dest=opening), names) is None:
        del pdf.Root["/OpenAction"]
    outlines = pdf.Root.get("/Outlines")
    if isinstance(outlines, Dictionary):
        prune_bookmarks(pdf, outlines, names)


def tree_of(outlines):
    """The root and all bookmarks, parents before children, with each one's parent index."""
    items, parents, seen = [outlines], [-1], set()
    for at, item in enumerate(items):
        child = item.get("/First")
        while isinstance(child, Dictionary) and child.is_indirect and child.objgen not in seen and len(items) < MOST:
            seen.add(child.objgen)
            items.append(child)
            parents.append(at)
            child = child.get("/Next")
    return items, parents


def prune_bookmarks(pdf, outlines, names):
    """Removes bookmarks of deleted pages; one with remaining children stays without a title."""
    items, parents = tree_of(outlines)
    below, shown = [[] for _ in items], [0] * len(items)
    for at in range(len(items) - 1, -1, -1):
        item, kids = items[at], below[at][::-1]
        page = page_of(item, names)
        is_heading = page is False and "/Dest" not in item and "/A" not in item and "/First" in item
        if at > 0 and not kids and (page is None or is_heading):
            continue
        if at > 0 and page is None:
            item["/Title"] = String("")
            for key in ("/Dest", "/A"):
                if key in item:
                    del item[key]
        count = item.get("/Count")
        is_open = at == 0 or (isinstance(count, (int, Decimal)) and count > 0)
        link(item, [items[kid] for kid in kids], shown[at] if is_open else -shown[at])
        if at > 0:
            below[parents[at]].append(at)
            shown[parents[at]] += 1 + (shown[at] if is_open else 0)
    if not below[0]:
        del pdf.Root["/Outlines"]


def link(item, kids, count):
    for key in ("/First", "/Last", "/Count"):
        if key in item:
            del item[key]
    if kids:
        item["/First"], item["/Last"], item["/Count"] = kids[0], kids[-1], count
    for before, kid, after in zip([None, *kids], kids, [*kids[1:], None]):
        for key, value in (("/Prev", before), ("/Next", after), ("/Parent", item)):
            if value is not None:
                kid[key] = value
            elif key in kid:
                del kid[key]
