"""Lists what a TAR stores beside its files, for formats without a place for it. Reads the TAR on standard input; prints a line of JSON.

Counts members, and names the first ones; what is not readable is left to the program that repacks.
"""
import json
import sys
import tarfile

KINDS = {"SCHILY.xattr.": "attributes", "LIBARCHIVE.xattr.": "attributes", "SCHILY.acl.": "acls"}
NAMED = 3
# A header of hostile length would fill the answer.
LONGEST = 100


def kinds_of(headers):
    return {kind for key in headers for prefix, kind in KINDS.items() if key.startswith(prefix)}


def main():
    found, comment = {kind: {"count": 0, "first": []} for kind in KINDS.values()}, False
    try:
        with tarfile.open(fileobj=sys.stdin.buffer, mode="r|", errors="replace") as archive:
            for member in archive:
                comment = comment or "comment" in archive.pax_headers
                for kind in kinds_of(member.pax_headers):
                    found[kind]["count"] += 1
                    if len(found[kind]["first"]) < NAMED:
                        found[kind]["first"].append(member.name[:LONGEST])
                # The reader keeps every member.
                archive.members.clear()
    except (tarfile.TarError, ValueError, EOFError, OverflowError):
        pass
    # A program that writes into a closed pipe fails.
    while sys.stdin.buffer.read(1 << 20):
        pass
    print(json.dumps({**found, "isCommented": comment}))


main()
