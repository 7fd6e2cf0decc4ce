"""Lists what a TAR stores beside its files, for formats without a place for it. Usage: tar-extras.py FILE; prints a line of JSON.

Counts members, and names the first ones; what is not readable is left to the program that repacks.
"""
import contextlib
import json
import subprocess
import sys
import tarfile

ATTRIBUTES = "attributes"
KINDS = {"SCHILY.xattr.": ATTRIBUTES, "LIBARCHIVE.xattr.": ATTRIBUTES, "RHT.security.": ATTRIBUTES, "SCHILY.acl.": "acls", "SCHILY.fflags": "flags"}
# A header is its length, a space, its key and its value.
MARKS = [f" {key}".encode() for key in (*KINDS, "comment=")]
PIECE, OVERLAP = 1 << 20, max(map(len, MARKS)) - 1
NAMED = 3
# A header of hostile length would fill the answer.
LONGEST = 100


@contextlib.contextmanager
def unpacked(path):
    with subprocess.Popen(["/usr/bin/bsdcat", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        yield program.stdout
        program.kill()


def is_marked(path):
    """Few archives have such headers, and looking for their keys is much faster than reading every header."""
    last = b""
    with unpacked(path) as stream:
        while piece := stream.read(PIECE):
            piece = last + piece
            if any(mark in piece for mark in MARKS):
                return True
            last = piece[-OVERLAP:]
    return False


def kinds_of(headers):
    return {kind for key in headers for prefix, kind in KINDS.items() if key.startswith(prefix)}


def main(path):
    found, comment = {kind: {"count": 0, "first": []} for kind in KINDS.values()}, False
    if is_marked(path):
        with contextlib.suppress(tarfile.TarError, ValueError, EOFError, OverflowError), unpacked(path) as stream:
            with tarfile.open(fileobj=stream, mode="r|", errors="replace") as archive:
                for member in archive:
                    comment = comment or "comment" in archive.pax_headers or "comment" in member.pax_headers
                    for kind in kinds_of(member.pax_headers):
                        found[kind]["count"] += 1
                        if len(found[kind]["first"]) < NAMED:
                            found[kind]["first"].append(member.name[:LONGEST])
                    # The reader keeps every member.
                    archive.members.clear()
    print(json.dumps({**found, "isCommented": comment}))


main(sys.argv[1])
