"""Copies document packages (ZIP) with some parts replaced."""
import shutil
import zipfile
import zlib
from xml.etree import ElementTree

# Raised by damaged packages and damaged XML in them. The office may still read these, or reports the damage.
DAMAGED = (EOFError, LookupError, NotImplementedError, OSError, RuntimeError, ValueError, ElementTree.ParseError, zipfile.BadZipFile, zlib.error)


def write_changed(package, path, changed, level=None):
    """Copies a package with new content for some of its parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as written:
        for member in package.infolist():
            if member.filename in changed:
                written.writestr(member.filename, changed[member.filename])
            else:
                with package.open(member) as given, written.open(member, "w") as kept:
                    shutil.copyfileobj(given, kept)
