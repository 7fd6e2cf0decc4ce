"""ZIP packages of documents, of which some parts change."""
import shutil
import zipfile
import zlib
from xml.etree import ElementTree

# What damaged packages, and damaged XML in them, raise. The office may read them nevertheless, or reports what is wrong.
DAMAGED = (EOFError, LookupError, NotImplementedError, OSError, RuntimeError, ValueError, ElementTree.ParseError, zipfile.BadZipFile, zlib.error)


def write_changed(package, path, changed, level=None):
    """Copies a package with other content for some of its parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as written:
        for member in package.infolist():
            if member.filename in changed:
                written.writestr(member.filename, changed[member.filename])
            else:
                with package.open(member) as given, written.open(member, "w") as kept:
                    shutil.copyfileobj(given, kept)
