"""Archives as lists of {name, sort, content, mode, time}: read by Python's libraries, else unpacked by 7-Zip; written by Python's."""
import hashlib
import io
import os
import stat
import struct
import subprocess
import tarfile
import tempfile
import time
import zipfile

TARS = {"tar": "", "tgz": "gz", "tbz2": "bz2", "txz": "xz"}
KINDS = {*TARS, "zip", "7z", "cpio", "iso"}


def entry_said(name, sort, content, mode, when):
    said = {"name": name.rstrip("/"), "sort": sort, "content": content, "mode": f"{mode & 0o7777:o}", "time": f"{when:.9f}".rstrip("0").rstrip(".")}
    return {"m": [[key, {"t": each}] for key, each in said.items()]}


def members_of(value):
    for entry in value:
        of = {name: each["t"] for name, each in entry["m"]}
        yield {**of, "mode": int(of["mode"], 8), "time": float(of["time"])}


def write_zip(members, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for each in members:
            name = each["name"] + ("/" if each["sort"] == "folder" else "")
            info = zipfile.ZipInfo(name, time.gmtime(max(each["time"], 315532800))[:6])
            kinds = {"folder": stat.S_IFDIR, "link": stat.S_IFLNK, "file": stat.S_IFREG}
            info.create_system = 3
            info.external_attr = (kinds[each["sort"]] | each["mode"]) << 16
            info.extra = struct.pack("<HHBi", 0x5455, 5, 1, int(each["time"]))
            made.writestr(info, each["content"])


def write_tar(members, path, packing):
    with tarfile.open(path, f"w:{packing}", format=tarfile.PAX_FORMAT) as made:
        for each in members:
            info = tarfile.TarInfo(each["name"])
            info.type = {"folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "file": tarfile.REGTYPE}[each["sort"]]
            info.mode, info.mtime, content = each["mode"], each["time"], each["content"].encode()
            if each["sort"] == "link":
                info.linkname, content = each["content"], b""
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))


def write(kind, value, path):
    members = list(members_of(value))
    if kind == "zip":
        write_zip(members, path)
    elif kind in TARS:
        write_tar(members, path, TARS[kind])
    else:
        raise ValueError("no writer")


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def zip_time(info):
    at = 0
    while at + 4 <= len(info.extra):
        kind, size = struct.unpack_from("<HH", info.extra, at)
        if kind == 0x5455 and info.extra[at + 4] & 1:
            return struct.unpack_from("<i", info.extra, at + 5)[0]
        at += 4 + size
    return time.mktime((*info.date_time, 0, 0, -1))


def read_zip(path):
    found = []
    with zipfile.ZipFile(path) as made:
        for info in made.infolist():
            mode = info.external_attr >> 16
            sort = "folder" if info.is_dir() else "link" if stat.S_ISLNK(mode) else "file"
            content = made.read(info)
            found.append(entry_said(info.filename, sort, content.decode() if sort == "link" else "" if sort == "folder" else digest(content), mode, zip_time(info)))
    return found


def read_tar(path):
    found = []
    with tarfile.open(path) as made:
        for info in made:
            sort = "folder" if info.isdir() else "link" if info.issym() else "file"
            content = info.linkname if info.issym() else digest(made.extractfile(info).read()) if sort == "file" else ""
            found.append(entry_said(info.name, sort, content, info.mode, info.mtime))
    return found


def read_unpacked(path):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["7z", "x", "-y", "-snl", "-o" + folder, path], check=True, stdout=subprocess.DEVNULL)
        for at, folders, names in os.walk(folder):
            for name in folders + names:
                full = os.path.join(at, name)
                facts = os.lstat(full)
                sort = "link" if stat.S_ISLNK(facts.st_mode) else "folder" if stat.S_ISDIR(facts.st_mode) else "file"
                content = ""
                if sort == "link":
                    content = os.readlink(full)
                elif sort == "file":
                    with open(full, "rb") as file:
                        content = digest(file.read())
                found.append(entry_said(os.path.relpath(full, folder), sort, content, facts.st_mode, facts.st_mtime))
    return found


def read(kind, path):
    if kind == "zip":
        return read_zip(path)
    return read_tar(path) if kind in TARS else read_unpacked(path)
