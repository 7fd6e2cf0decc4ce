"""Changes an office document within its package: parts that need no change keep their bytes.

Usage: office-change.py IN OUT CHANGES (a line of JSON: optimise, metadata, comments). Prints a line of
JSON. Exit codes: 0 done, 3 the file is damaged beyond repair; anything else is a failure of this program.
"""
import json
import os
import re
import subprocess
import sys
import zipfile
import zlib
from xml.parsers.expat import ExpatError

sys.path.insert(0, os.path.dirname(__file__))

from office_cleaning import clean
from office_packages import is_markup, package_of

DAMAGED = 3
PIECE = 2**20
MOST_NAMED = 5


def read_all(archive, info):
    """The bytes of a part and whether they are complete: for a damaged one, those before the damage."""
    pieces = []
    try:
        with archive.open(info) as part:
            while piece := part.read(PIECE):
                pieces.append(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
        return b"".join(pieces), False
    return b"".join(pieces), True


def mended(content):
    """Recovers truncated or malformed markup; None if nothing can be recovered."""
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return None
    return None if root is None else etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8", standalone=True)


def is_well_formed(content):
    from xml.parsers.expat import ParserCreate

    try:
        ParserCreate().Parse(content, True)
    except ExpatError:
        return False
    return True


def repair(archive, parts):
    """Damaged parts by name, as far as they could be read, or None if nothing could be."""
    found = {}
    for name, info in parts.items():
        content, is_whole = read_all(archive, info)
        markup = is_markup(name)
        if is_whole and (not markup or is_well_formed(content)):
            continue
        found[name] = mended(content) if markup else content or None
    return found


def opened(source):
    """Opens the package; if the central directory is lost, by the local headers."""
    try:
        return zipfile.ZipFile(source), False
    except zipfile.BadZipFile:
        found = os.path.join(os.path.dirname(sys.argv[2]), "found.zip")
        # bsdtar fails on a truncated file, but only after writing what precedes the cut.
        with open(source, "rb") as cut:
            subprocess.run(["/usr/bin/bsdtar", "-cf", found, "--format=zip", "@-"], stdin=cut, stderr=subprocess.DEVNULL, check=False)
        return zipfile.ZipFile(found), True


def write(archive, package, target, is_clean):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as result:
        for name in package.order():
            old = package.source(name)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0) if is_clean or old is None else old.date_time)
            # The media type comes first and uncompressed (OpenDocument 1.3 part 2, 3.3).
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info.external_attr = 0 if old is None else old.external_attr
            content = package.changed.get(name)
            if content is not None:
                result.writestr(info, content)
                continue
            info.file_size = old.file_size
            with archive.open(old) as part, result.open(info, "w") as copy:
                while piece := part.read(PIECE):
                    copy.write(piece)


def main(source, target, changes):
    try:
        archive, is_cut = opened(source)
    except zipfile.BadZipFile:
        return DAMAGED
    with archive:
        # Of several parts with the same name, readers use the last.
        parts = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        damaged = repair(archive, parts)
        package = package_of(archive, parts, damaged)
        if package is None:
            return DAMAGED
        try:
            clean(package, changes)
            if "optimise" in changes:
                from office_pictures import shrink

                shrink(package, changes["optimise"])
        except ExpatError:
            return DAMAGED
        write(archive, package, target, changes.get("metadata") == "strip")
        changed = len(package.changed) > len(damaged) or len(package.removed) > 0
        is_damaged = is_cut or len(damaged) > 0
        # Names are untrusted.
        named = [re.sub(r"[^\w./ -]", "?", name, flags=re.ASCII)[:80] for name in sorted(damaged)[:MOST_NAMED]]
        said = {"isDamaged": is_damaged, "named": named, "unnamed": len(damaged) - len(named), "isVoid": package.is_signed() and (changed or is_damaged)}
        print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
