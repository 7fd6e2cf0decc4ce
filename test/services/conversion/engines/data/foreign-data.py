"""Prints every text, number and boolean in a structured data file as a JSON list of strings, with Python's own library."""
import configparser
import csv
import json
import plistlib
import re
import sqlite3
import sys
import tomllib
import xml.etree.ElementTree as trees
import zipfile


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in [str(key), *leaves(each)]]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    if isinstance(value, bool):
        return [str(value).lower()]
    return [] if value is None else [str(value)]


def of_xml(text):
    return [leaf for each in trees.fromstring(text).iter() for leaf in [each.tag, *each.attrib.values(), (each.text or "").strip()]]


def of_table(path, delimiter):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return leaves(list(csv.reader(file, delimiter=delimiter, strict=True)))


def of_ini(path):
    parser = configparser.RawConfigParser(interpolation=None, strict=True)
    parser.optionxform = str
    with open(path, encoding="utf-8") as file:
        parser.read_string("[_]\n" + file.read())
    return leaves({name: dict(parser[name]) for name in parser.sections()})


def of_sqlite(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = []
    for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        cursor = base.execute(f'SELECT * FROM "{name}"')
        found += leaves([[column[0] for column in cursor.description], *cursor.fetchall()])
    return found


def of_book(path):
    with zipfile.ZipFile(path) as book:
        parts = [name for name in book.namelist() if re.search(r"sheet1\.xml$|sharedStrings\.xml$|content\.xml$", name)]
        return [leaf for name in parts for leaf in of_xml(book.read(name))]


def of_properties(path):
    with open(path, encoding="latin-1") as file:
        pairs = re.findall(r"^(?![#!])(\S+?)\s*[=:]\s*(.*)$", file.read(), re.M)
    return [re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), leaf).replace("\\=", "=") for pair in pairs for leaf in pair]


def of(path, kind):
    if kind in ("csv", "tsv", "psv"):
        return of_table(path, {"csv": ",", "tsv": "\t", "psv": "|"}[kind])
    if kind == "ini":
        return of_ini(path)
    if kind == "properties":
        return of_properties(path)
    if kind == "sqlite":
        return of_sqlite(path)
    if kind in ("xlsx", "ods"):
        return of_book(path)
    with open(path, "rb") as file:
        raw = file.read()
    if kind == "json":
        return leaves(json.loads(raw))
    if kind == "ndjson":
        return leaves([json.loads(line) for line in raw.splitlines()])
    if kind == "toml":
        return leaves(tomllib.loads(raw.decode()))
    if kind == "plist":
        return leaves(plistlib.loads(raw))
    return of_xml(raw)


print(json.dumps(of(sys.argv[1], sys.argv[2])))
