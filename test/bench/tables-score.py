"""Compares tables in HTML with their truth, as the ICDAR 2013 table competition did: by which cells stand side by side.

Reads lines "truth.xml<TAB>made.html", and writes for each how many neighbouring pairs are in both, in the truth, and in the HTML.
Follows M. Göbel, T. Hassan, E. Oro, G. Orsi: A methodology for evaluating algorithms for table understanding in PDF documents (2012).
"""
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from html.parser import HTMLParser


def plain(text):
    """Letters, digits and signs of figures: programs differ in spaces and dashes."""
    return re.sub(r"[^\w%.,()+-]|_", "", text or "").lower()


def neighbours(cells):
    """The nearest filled cells to the right of and below each filled cell (top, left, bottom, right, text)."""
    grid = {(row, column): cell for cell in cells for row in range(cell[0], cell[2] + 1) for column in range(cell[1], cell[3] + 1)}
    last = [max((place[axis] for place in grid), default=-1) for axis in (0, 1)]
    found = Counter()
    for cell in cells:
        if not plain(cell[4]):
            continue
        starts = [((row, cell[3]), (0, 1)) for row in range(cell[0], cell[2] + 1)]
        starts += [((cell[2], column), (1, 0)) for column in range(cell[1], cell[3] + 1)]
        met = set()
        for (row, column), (down, right) in starts:
            while row <= last[0] and column <= last[1]:
                row, column = row + down, column + right
                other = grid.get((row, column))
                if other is not None and plain(other[4]):
                    if (id(other), down) not in met:
                        met.add((id(other), down))
                        found[(plain(cell[4]), plain(other[4]), down)] += 1
                    break
    return found


def truth(path):
    pairs = Counter()
    for table in ElementTree.parse(path).getroot().iter("table"):
        cells = []
        for region in table.iter("region"):
            down, right = int(region.get("row-increment") or 0), int(region.get("col-increment") or 0)
            for cell in region.iter("cell"):
                top, left = int(cell.get("start-row")), int(cell.get("start-col"))
                bottom, end = int(cell.get("end-row") or top), int(cell.get("end-col") or left)
                cells.append((top + down, left + right, bottom + down, end + right, cell.findtext("content")))
        pairs += neighbours(cells)
    return pairs


class Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.done, self.open = [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "table":
            self.open.append({"row": -1, "cells": [], "taken": set(), "cell": None})
        elif self.open and tag == "tr":
            self.open[-1]["row"] += 1
        elif self.open and tag in ("td", "th"):
            table, column = self.open[-1], 0
            while (table["row"], column) in table["taken"]:
                column += 1
            down, right = int(given.get("rowspan") or 1), int(given.get("colspan") or 1)
            table["taken"].update((table["row"] + y, column + x) for y in range(down) for x in range(right))
            table["cell"] = [table["row"], column, table["row"] + down - 1, column + right - 1, ""]
            table["cells"].append(table["cell"])

    def handle_endtag(self, tag):
        if self.open and tag == "table":
            self.done.append(self.open.pop()["cells"])
        elif self.open and tag in ("td", "th"):
            self.open[-1]["cell"] = None

    def handle_data(self, data):
        if self.open and self.open[-1]["cell"] is not None:
            self.open[-1]["cell"][4] += data


def made(path):
    reader = Tables()
    with open(path, encoding="utf-8") as file:
        reader.feed(file.read())
    return sum((neighbours(cells) for cells in reader.done), Counter())


for line in sys.stdin:
    known, found = line.rstrip("\n").split("\t")
    expected, actual = truth(known), made(found)
    print(json.dumps([(expected & actual).total(), expected.total(), actual.total()]))
