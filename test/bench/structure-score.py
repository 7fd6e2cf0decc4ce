"""Compares Markdown that was made from a document with the Markdown that the document came from.

Reads lines `truth<TAB>made` of paths; writes a line of JSON each: figures from 0 to 1 by measure, null if the truth has nothing of it.
order   share of words in the same order as in the truth: 2 * common / (made + truth), by longest matching blocks
heads   the same for headings with their text; levels: with their levels relative to the top level in use
cells   the same for table cells, with a mark after each row; lists: for items by their first block; code: for words in code blocks
links   share of link targets that are kept; words: share of words that are kept, wherever they are; an ideograph counts as one
"""
import json
import re
import subprocess
import sys
from collections import Counter
from difflib import SequenceMatcher


def tree(path):
    said = subprocess.run(["pandoc", "-f", "gfm", "-t", "json", path], capture_output=True, timeout=300, check=True)
    return json.loads(said.stdout)["blocks"]


def words(node):
    text = []

    def walk(part):
        if isinstance(part, list):
            for each in part:
                walk(each)
        elif isinstance(part, dict):
            kind, content = part.get("t"), part.get("c")
            if kind == "Str":
                text.append(content)
            elif kind in ("Code", "CodeBlock"):
                text.append(f" {content[1]} " if kind == "CodeBlock" else content[1])
            elif kind not in ("RawInline", "RawBlock"):
                if isinstance(content, (list, dict)):
                    walk(content)
                if kind in ("Space", "SoftBreak", "LineBreak", "Para", "Plain", "Header", "Table"):
                    text.append(" ")

    walk(node)
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+", "".join(text).lower())


def parts(blocks):
    found = {"heads": [], "levels": [], "cells": [], "lists": [], "code": [], "links": []}

    def rows(table):
        for row in table[3][1] + [row for body in table[4] for row in body[2] + body[3]]:
            yield [" ".join(words(cell[4])) for cell in row[1]]

    def walk(part):
        if isinstance(part, list):
            for each in part:
                walk(each)
            return
        if not isinstance(part, dict):
            return
        kind, content = part.get("t"), part.get("c")
        if kind == "Header":
            found["heads"].append(" ".join(words(content[2])))
            found["levels"].append((content[0], found["heads"][-1]))
        elif kind == "Table":
            for row in rows(content):
                found["cells"].extend([*row, "\n"])
        elif kind in ("BulletList", "OrderedList"):
            items = content if kind == "BulletList" else content[1]
            found["lists"].extend(" ".join(words(item[:1])) for item in items)
        elif kind == "CodeBlock":
            found["code"].extend(re.findall(r"\w+|[^\w\s]", content[1]))
        elif kind == "Link" and content[2][0].startswith("http"):
            found["links"].append(content[2][0].rstrip("/"))
        walk(content)

    walk(blocks)
    first = min((level for level, _ in found["levels"]), default=0)
    found["levels"] = [(level - first, text) for level, text in found["levels"]]
    return {"order": words(blocks), **found, "words": words(blocks)}


def alike(truth, made):
    if not truth:
        return None
    common = sum(block.size for block in SequenceMatcher(None, truth, made, autojunk=False).get_matching_blocks())
    return 2 * common / (len(truth) + len(made))


def kept(truth, made):
    return (Counter(truth) & Counter(made)).total() / len(truth) if truth else None


for line in sys.stdin:
    truth, made = (parts(tree(path)) for path in line.rstrip("\n").split("\t"))
    print(json.dumps({name: (kept if name in ("links", "words") else alike)(truth[name], made[name]) for name in truth}), flush=True)
