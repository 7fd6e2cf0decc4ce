"""Reads the tags of an audio file, of any kind, under a common set of names: those of Vorbis comments."""
import base64
import hashlib
import re
import struct

from mutagen import MutagenError
from mutagen.apev2 import APEBinaryValue, APETextValue
from mutagen.flac import Picture
from sound_tags_names import DATES, TECHNICAL, TIME_OF_DAY, keys_in, named

PLAIN_LANGUAGES = ("", "XXX", "und", "eng", "\0\0\0")
REMARKS = {"COMM": "comment", "USLT": "lyrics"}


def digest_of(picture):
    return hashlib.sha256(picture.data).digest()


class Told:
    """`texts`: lists of values by name; `remarks`: comments and lyrics of
    ID3 (frame, language, description, text); `others`: non-text fields."""

    def __init__(self):
        self.texts, self.remarks, self.pictures, self.others = {}, [], [], []
        # The kind of tags, and the keys that have each field.
        self.kind, self.keys = "", {}
        # The encoding of a text is not declared.
        self.isGuessed = False
        # FFmpeg misses those of ID3v2.4 with more than a short title.
        self.chapters = 0

    def add(self, name, *values, key=""):
        plain = named(name)
        clean = [value.replace("\r\n", "\n").strip(" \t\r\n\0") for value in values]
        if plain in DATES:
            clean = [TIME_OF_DAY.sub(r"\1 \2\3", value) for value in clean]
        if plain == "compilation":
            clean = [{"true": "1", "false": "0"}.get(value.lower(), value) for value in clean]
        if any(clean) and not TECHNICAL.match(plain):
            self.keys.setdefault(plain, set()).update([key] if key else [])
            have = self.texts.setdefault(plain, [])
            have.extend(value for value in dict.fromkeys(clean) if value and value not in have)

    def settle(self):
        """Adds the totals to track and disc numbers, and removes leading zeros and totals of none."""
        for name, total in (("tracknumber", "tracktotal"), ("discnumber", "disctotal")):
            numbers, totals = self.texts.get(name), self.texts.get(total)
            if numbers and totals and "/" not in numbers[0]:
                numbers[0] = f"{numbers[0]}/{totals[0]}"
            if numbers:
                self.texts.pop(total, None)
                self.keys[name] |= self.keys.pop(total, set())
                plain = (re.sub(r"/0$", "", re.sub(r"\b0+(?=\d)", "", number)) for number in numbers if not re.fullmatch("0+/0+", number))
                numbers[:] = list(dict.fromkeys(plain))
                if not numbers:
                    self.texts.pop(name)
        if self.texts.get("compilation") == ["0"]:
            self.texts.pop("compilation")
        return self

    def fields(self):
        """Names and values; fields that are not text have no value."""
        marks = {kind: {(language, description) for each, language, description, _ in self.remarks if each == kind} for kind in REMARKS}
        apart = [f"languages of {REMARKS[kind]}" for kind, found in marks.items() if len(found) > 1 or not self.isPlain(found)]
        return {**self.texts, **{name: [""] for name in [*apart, *self.others]}}

    @staticmethod
    def isPlain(marks):
        return all(language in PLAIN_LANGUAGES and not description for language, description in marks)

    @property
    def covers(self):
        return {digest_of(picture) for picture in self.pictures}


def read(pictures, *kinds, chunks=()):
    """Tags of one file, which may have several kinds. Text chunks count only where there are no other tags of that name."""
    told = Told()
    for tags in kinds:
        classes = [kind.__name__ for kind in type(tags).__mro__]
        for name, reader in READERS.items():
            if name in classes:
                told.kind = told.kind or name
                reader(tags, told)
    of_chunks([(CHUNKS[name], data) for name, data in chunks if CHUNKS[name] not in told.texts], told)
    told.pictures.extend(pictures)
    # Players show the first picture: the front cover.
    told.pictures.sort(key=lambda picture: picture.type != 3)
    return told.settle()


# Text chunks of WAV and AIFF.
CHUNKS = {
    "INAM": "title", "IART": "artist", "IPRD": "album", "ICMT": "comment", "ICOP": "copyright", "ICRD": "date", "IGNR": "genre",
    "ITRK": "tracknumber", "IPRT": "tracknumber", "NAME": "title", "AUTH": "artist", "(c) ": "copyright", "ANNO": "comment",
    "DISP": "title",
}


def of_chunks(chunks, told):
    for name, data in chunks:
        try:
            told.add(name, data.decode())
        except UnicodeDecodeError:
            told.isGuessed = True
            told.add(name, data.decode("cp1252", "replace"))


def of_id3(tags, told):
    names = {frame: name for name, frame in keys_in("ID3Tags").items()}
    # ID3v1 does not declare an encoding.
    told.isGuessed = tags.version < (2,) and not all(map(str.isascii, tags.pprint().split()))
    for frame in tags.values():
        kind = frame.FrameID
        if kind == "TCON":
            told.add("genre", *frame.genres, key="TCON")
        elif kind == "TXXX":
            told.add(frame.desc or "comment", *frame.text, key=frame.HashKey)
        elif kind in REMARKS and not frame.desc.startswith("iTun"):
            text = "\n".join(frame.text) if kind == "COMM" else frame.text
            if text.strip(" \0"):
                # Mutagen's own words for what ID3v1 does not say.
                isUnmarked = frame.desc == "ID3v1 Comment"
                told.remarks.append((kind, *(("XXX", "") if isUnmarked else (frame.lang, frame.desc)), text))
                told.add(REMARKS[kind], text, key=frame.HashKey)
        elif kind in names:
            told.add(names[kind], *map(str, frame.text), key=kind)
        elif kind == "APIC":
            told.pictures.append(picture_of(frame.data, frame.mime, int(frame.type), frame.desc))
        elif kind == "CHAP":
            told.chapters += 1
            if any(part.FrameID != "TIT2" for part in frame.sub_frames.values()):
                told.others.append("links and pictures of chapters")
        elif kind in OTHER_FRAMES:
            told.others.append(OTHER_FRAMES[kind])
        elif kind.startswith("T"):
            told.add(kind, *map(str, frame.text), key=frame.HashKey)
        elif kind not in OF_PROGRAMS:
            told.others.append(kind)
    told.others.extend(raw[:4].decode("latin-1") for raw in tags.unknown_frames if raw[:4].isalnum())


# Tables of places in the file, what FFmpeg carries over or reports as lost, and comments of iTunes about loudness.
OF_PROGRAMS = ("PRIV", "COMM", "CTOC", "MLLT", "ASPI", "SEEK", "RBUF", "POSS")

OTHER_FRAMES = {
    "POPM": "rating", "PCNT": "times played", "SYLT": "lyrics with times", "RVA2": "loudness", "GEOB": "attached objects",
    "UFID": "identifiers", "WXXX": "links", "WOAR": "links", "WOAF": "links", "WOAS": "links", "WORS": "links", "WPUB": "links",
    "WCOP": "links", "WCOM": "links", "WPAY": "links", "ETCO": "events", "SYTC": "changes of tempo", "USER": "terms of use",
    "OWNE": "owner", "TIPL": "people involved", "TMCL": "musicians", "IPLS": "people involved", "PCST": "podcast", "WFED": "links",
    "MCDI": "identifier of the disc", "RVAD": "loudness",
}


def of_vorbis(tags, told):
    for name, value in tags or []:
        if name.lower() == "metadata_block_picture":
            try:
                told.pictures.append(Picture(base64.b64decode(value)))
            except (ValueError, struct.error, MutagenError):
                continue
        else:
            told.add(name, value, key=name)


def of_mp4(tags, told):
    names = {atom: name for name, atom in keys_in("MP4Tags").items()}
    for atom, values in tags.items():
        if atom == "covr":
            told.pictures.extend(picture_of(bytes(value), MIMES.get(value.imageformat, "image/jpeg"), 3, "") for value in values)
        elif atom in ("trkn", "disk"):
            told.add(names[atom], *(f"{number}/{total}" if total else str(number) for number, total in values if number), key=atom)
        elif atom.startswith("----:"):
            told.add(atom.split(":")[-1], *(bytes(value).decode("utf-8", "replace") for value in values), key=atom)
        elif atom == "cpil":
            told.add("compilation", str(int(bool(values))), key=atom)
        elif atom == "gnre" or not isinstance(values, list):
            continue
        else:
            told.add(names.get(atom, atom), *map(str, values), key=atom)


MIMES = {13: "image/jpeg", 14: "image/png"}


def of_asf(tags, told):
    names = {attribute: name for name, attribute in keys_in("ASFTags").items()}
    for attribute, values in tags.as_dict().items():
        if attribute == "WM/Picture":
            told.pictures.extend(filter(None, (asf_picture(value.value) for value in values)))
        else:
            told.add(names.get(attribute, attribute), *(str(value) for value in values), key=attribute)


def asf_picture(data):
    """A type, a length, a MIME type and a description that each end with two zeros, and the picture."""
    try:
        kind, length = struct.unpack_from("<bi", data)
        mime, description, at = "", "", 5
        mime, at = wide_text(data, at)
        description, at = wide_text(data, at)
        return picture_of(data[at : at + length], mime, kind, description)
    except (struct.error, ValueError, UnicodeDecodeError):
        return None


def wide_text(data, at):
    end = at
    while data[end : end + 2] not in (b"\0\0", b""):
        end += 2
    return data[at:end].decode("utf-16-le"), end + 2


def of_ape(tags, told):
    names = {key.lower(): name for name, key in keys_in("APEv2").items()}
    for key, value in tags.items():
        if isinstance(value, APETextValue):
            told.add(names.get(key.lower(), key), *list(value), key=key)
        elif isinstance(value, APEBinaryValue) and key.lower().startswith("cover art"):
            data = bytes(value).split(b"\0", 1)[-1]
            told.pictures.append(picture_of(data, "image/png" if data.startswith(b"\x89PNG") else "image/jpeg", 3, ""))


def picture_of(data, mime, kind, description):
    picture = Picture()
    picture.data, picture.mime, picture.type, picture.desc = data, mime, kind, description
    return picture


READERS = {"ID3Tags": of_id3, "VComment": of_vorbis, "MP4Tags": of_mp4, "ASFTags": of_asf, "APEv2": of_ape}
