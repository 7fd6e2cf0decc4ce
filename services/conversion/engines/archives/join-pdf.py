"""Joins PDFs with their links, bookmarks, forms, layers, page labels and attached files.

Usage: join-pdf.py OUT IN…  Prints a line of JSON for each file, in order: {"remarks": […]}, or {"failed": "locked" | "damaged"} for
the last one. Exit codes: 0 done, 3 a file cannot be joined; anything else is a failure of this program.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

import pikepdf
from pdf_prune import named_in, take_names
from pikepdf import Array, Dictionary, Name, OutlineItem, String

FAILED = 3
# Limits traversal: untrusted files may contain cycles.
DEEPEST, MOST = 40, 100_000


def annotations(page):
    found = page.get("/Annots")
    return [each for each in found if isinstance(each, Dictionary)] if isinstance(found, Array) else []


def kept(holder, key, value):
    """What is there, or else this value."""
    if key not in holder:
        holder[key] = value
    return holder[key]


class Names:
    """Makes each name unique. It counts, as a search for a free number would take long for thousands of one name."""

    def __init__(self):
        self.taken, self.counts = set(), {}

    def free(self, name):
        free = name
        while free in self.taken:
            self.counts[name] = self.counts.get(name, 1) + 1
            free = f"{name}+{self.counts[name]}"
        self.taken.add(free)
        return free


class Source:
    """A PDF to join. Its destinations name pages by number, as references between pages are not copied."""

    def __init__(self, pdf):
        self.pdf, self.numbers = pdf, {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        self.names = take_names(pdf)
        for page in pdf.pages:
            for each in annotations(page.obj):
                action = each.get("/A")
                if "/Dest" in each:
                    each.Dest = self.goal_of(each.Dest)
                elif isinstance(action, Dictionary) and action.get("/S") == Name.GoTo:
                    action.D = self.goal_of(action.get("/D"))

    def goal_of(self, goal):
        """An array that starts with the number of a page; an empty one leads nowhere."""
        if isinstance(goal, (Name, String)):
            goal = self.names.get(bytes(goal) if isinstance(goal, String) else str(goal))
        if isinstance(goal, Dictionary):
            goal = goal.get("/D")
        if not isinstance(goal, Array) or len(goal) == 0 or not isinstance(goal[0], Dictionary) or goal[0].objgen not in self.numbers:
            return Array([])
        return Array([self.numbers[goal[0].objgen], *list(goal)[1:]])

    def bookmarks(self):
        """Each with its depth, title and destination."""
        outlines = self.pdf.Root.get("/Outlines")
        todo, seen = [(outlines.get("/First"), 0)] if isinstance(outlines, Dictionary) else [], set()
        while todo and len(seen) < MOST:
            item, depth = todo.pop()
            if not isinstance(item, Dictionary) or item.objgen in seen or depth > DEEPEST:
                continue
            seen.add(item.objgen)
            action = item.get("/A")
            goal = item.get("/Dest", action.get("/D") if isinstance(action, Dictionary) and action.get("/S") == Name.GoTo else None)
            yield depth, str(item.get("/Title", "")), self.goal_of(goal)
            todo += [(item.get("/Next"), depth), (item.get("/First"), depth + 1)]


class Joined:
    def __init__(self):
        self.pdf = pikepdf.new()
        self.labels, self.has_labels, self.bookmarks = [], False, []
        self.field_names, self.file_names = Names(), Names()

    def copied(self, source, value):
        return self.pdf.copy_foreign(value if value.is_indirect else source.pdf.make_indirect(value))

    def add(self, source):
        """Returns remarks."""
        first, root, remarks = len(self.pdf.pages), source.pdf.Root, []
        self.pdf.pages.extend(source.pdf.pages)
        pages = [page.obj for page in self.pdf.pages][first:]

        def led(goal):
            return Array([pages[int(goal[0])], *list(goal)[1:]]) if len(goal) > 0 else None

        for page in pages:
            for each in annotations(page):
                holder, key = (each, "/Dest") if "/Dest" in each else (each.get("/A"), "/D")
                goal = holder.get(key) if isinstance(holder, Dictionary) else None
                if isinstance(goal, Array) and (key == "/Dest" or holder.get("/S") == Name.GoTo):
                    holder[key] = led(goal) or Array([page, Name.Fit])
        self.bookmarks += [(depth, title, led(goal)) for depth, title, goal in source.bookmarks()]
        self.add_labels(source, first, len(pages))
        self.add_layers(source)
        remarks += self.add_forms(source, pages)
        for name in source.pdf.attachments:
            self.pdf.attachments[self.file_names.free(name)] = pikepdf.AttachedFileSpec(
                self.pdf, source.pdf.attachments[name].get_file().read_bytes(), filename=name
            )
        if "/StructTreeRoot" in root:
            remarks.append("The structure for screen readers is left out.")
            for page in pages:
                for holder in [page, *annotations(page)]:
                    for key in ("/StructParents", "/StructParent"):
                        if key in holder:
                            del holder[key]
        return remarks

    def add_labels(self, source, first, count):
        labels = [(number, value) for number, value in named_in(source.pdf.Root.get("/PageLabels"), "/Nums", int) if 0 <= number < count and isinstance(value, Dictionary)]
        self.has_labels |= len(labels) > 0
        if not labels or labels[0][0] > 0:
            self.labels += [first, Dictionary(S=Name.D, St=first + 1)]
        for number, value in labels:
            self.labels += [first + number, self.copied(source, value)]

    def add_layers(self, source):
        layers = source.pdf.Root.get("/OCProperties")
        if not isinstance(layers, Dictionary) or not isinstance(layers.get("/OCGs"), Array):
            return
        config = layers.get("/D", Dictionary())
        if config.get("/BaseState") == Name.OFF:
            shown = {each.objgen for each in config.get("/ON", Array())}
            config.OFF = Array([each for each in layers.OCGs if each.objgen not in shown])
        made = self.copied(source, layers)
        own = kept(self.pdf.Root, "/OCProperties", Dictionary(OCGs=Array(), D=Dictionary(OFF=Array(), Order=Array(), RBGroups=Array())))
        own.OCGs.extend(made.OCGs)
        for key in ("/OFF", "/Order", "/RBGroups"):
            found = made.get("/D", Dictionary()).get(key)
            if isinstance(found, Array):
                own.D[key].extend(found)

    def add_forms(self, source, pages):
        form = source.pdf.Root.get("/AcroForm")
        if not isinstance(form, Dictionary) or not isinstance(form.get("/Fields"), Array):
            return []
        # The pages share the fields' objects with the form.
        made = self.copied(source, form)
        own = kept(self.pdf.Root, "/AcroForm", Dictionary(Fields=Array(), DR=Dictionary()))
        renamed = []
        for field in list(made.Fields)[:MOST]:
            # Fields of one name would share one value.
            name = str(field.get("/T", ""))
            if (free := self.field_names.free(name)) != name:
                field.T = String(free)
                renamed.append(name)
            if "/DA" not in field and "/DA" in made:
                field.DA = made.DA
            own.Fields.append(field)
        own.NeedAppearances = bool(own.get("/NeedAppearances", False)) or bool(made.get("/NeedAppearances", False))
        for kind, values in made.get("/DR", Dictionary()).items():
            mine = kept(own.DR, kind, values)
            if isinstance(mine, Dictionary) and isinstance(values, Dictionary):
                for key, value in values.items():
                    kept(mine, key, value)
        return [
            *([f"Form fields were renamed, as other files have fields of the same names: {', '.join(renamed[:4])}."] if renamed else []),
            *(["Digital signatures are no longer valid."] if int(made.get("/SigFlags", 0)) & 1 else []),
            *(["The form's own pages (XFA) are left out."] if "/XFA" in form else []),
        ]

    def save(self, target):
        if self.has_labels:
            self.pdf.Root.PageLabels = Dictionary(Nums=Array(self.labels))
        with self.pdf.open_outline() as outline:
            levels = [outline.root]
            for depth, title, goal in self.bookmarks:
                item = OutlineItem(title, goal)
                del levels[min(depth, len(levels) - 1) + 1 :]
                levels[-1].append(item)
                levels.append(item.children)
        self.pdf.save(target)


def main(target, *paths):
    joined = Joined()
    for path in paths:
        try:
            # Open until the end: streams are copied when the result is written.
            pdf = pikepdf.open(path)
            if len(pdf.pages) == 0:
                raise pikepdf.PdfError("no pages")
            said = {"remarks": joined.add(Source(pdf))}
        except pikepdf.PasswordError:
            said = {"failed": "locked"}
        except pikepdf.PdfError:
            said = {"failed": "damaged"}
        print(json.dumps(said), flush=True)
        if "failed" in said:
            return FAILED
    joined.save(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
