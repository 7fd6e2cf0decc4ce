"""Adds the source's tags that an audio file lacks, each in the form of its kind of tags."""
import base64
import re

from mutagen.apev2 import APEBinaryValue
from mutagen.asf import ASFBoolAttribute, ASFByteArrayAttribute
from mutagen.flac import FLAC
from mutagen.id3 import APIC, COMM, ID3, TXXX, USLT, Frames
from mutagen.mp4 import MP4Cover
from sound_tags_names import DATES, LISTED, free_key, is_at_home, key_of
from sound_tags_reading import digest_of

LONGEST_COVERS = 32 * 2**20
# In a date, but not in one of words, such as 12 May 2003.
BEFORE_TIME = re.compile(r"(?<=^\d{4}-\d\d-\d\d) (?=\d\d:)")
# ID3 has frames for such times only: of words they would show a wrong year. See ID3v2.4, section 4.
TIME = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d(?::\d\d){0,2}(?:Z|[+-]\d\d:?\d\d)?)?)?)?")
# Frames that are more than text; they are copied if the source also has ID3.
OF_ID3 = ("POPM", "PCNT", "SYLT", "RVA2", "GEOB", "UFID", "WXXX", "WO", "WCO", "WPUB", "TIPL", "TMCL", "ETCO", "SYTC", "USER", "OWNE", "MCDI")


def write(source, result, file, tags, source_tags):
    """Adds what is missing to `tags` (pictures of FLAC: to the file) without saving. Returns whether anything was added."""
    missing = missing_of(source, result)
    pictures = [picture for picture in source.pictures if re.fullmatch("image/(jpe?g|png)", picture.mime.lower())]
    if sum(len(picture.data) for picture in pictures) > LONGEST_COVERS or source.covers <= result.covers:
        pictures = []
    kinds = [kind.__name__ for kind in type(tags).__mro__]
    writer = next((each for name, each in WRITERS.items() if name in kinds), None)
    isRemarked = writer is to_id3 and not set(source.remarks) <= set(result.remarks)
    isMore = writer is to_id3 and isinstance(source_tags, ID3)
    others = [frame for frame in source_tags.values() if frame.FrameID.startswith(OF_ID3) and frame.HashKey not in tags] if isMore else []
    if writer is None or not (missing or pictures or isRemarked or others):
        return False
    if isinstance(file, FLAC) and pictures:
        file.clear_pictures()
        for picture in pictures:
            file.add_picture(picture)
    for key in {key for name in missing for key in result.keys.get(name, ()) if not key.startswith(("COMM", "USLT"))}:
        if key in tags:
            del tags[key]
    writer(tags, missing, [] if isinstance(file, FLAC) else pictures)
    for frame in others:
        tags.add(frame)
    if isRemarked:
        remark(tags, source.remarks)
    return True


def missing_of(source, result):
    """Fields that the result lacks, or has where programs do not look for them."""
    missing = {}
    for name, values in source.texts.items():
        own = source.keys.get(name, ()) if source.kind == result.kind else ()
        is_found = all(is_at_home(result.kind, name, key, own) for key in result.keys.get(name, ()))
        if not set(values) <= set(result.texts.get(name, [])) or (name in LISTED and not is_found):
            missing[name] = [BEFORE_TIME.sub("T", value) for value in values] if name in DATES else values
    return missing


def to_id3(tags, missing, pictures):
    for name, values in missing.items():
        key = key_of("ID3Tags", name)
        if key.startswith("TD") and not all(TIME.fullmatch(value) for value in values):
            key = free_key("ID3Tags", name)
        if name in ("comment", "lyrics"):
            kind = "COMM" if name == "comment" else "USLT"
            remark(tags, [(kind, "XXX", str(number or ""), value) for number, value in enumerate(values)])
        elif key.startswith("TXXX:"):
            tags.add(TXXX(encoding=3, desc=key[5:], text=values))
        else:
            tags.setall(key, [Frames[key](encoding=3, text=values)])
    if pictures:
        tags.delall("APIC")
    for number, picture in enumerate(pictures):
        tags.add(APIC(encoding=3, mime=picture.mime, type=picture.type, desc=picture.desc or str(number or ""), data=picture.data))


def remark(tags, remarks):
    for kind in {kind for kind, *_ in remarks}:
        tags.delall(kind)
    for kind, language, description, text in remarks:
        tags.add((COMM if kind == "COMM" else USLT)(encoding=3, lang=language, desc=description, text=text))


def to_vorbis(tags, missing, pictures):
    for name, values in missing.items():
        if not re.fullmatch("[ -<>-}]+", name):
            continue
        tags[name.upper()] = values
    if pictures:
        tags["METADATA_BLOCK_PICTURE"] = [base64.b64encode(picture.write()).decode() for picture in pictures]


def to_mp4(tags, missing, pictures):
    for name, values in missing.items():
        atom, isNumber = key_of("MP4Tags", name), all(re.fullmatch(r"\d{1,5}", value) for value in values)
        if atom in ("trkn", "disk"):
            pairs = [re.fullmatch(r"(\d{1,4})(?:/(\d{1,4}))?", value) for value in values]
            if all(pairs):
                tags[atom] = [(int(pair[1]), int(pair[2] or 0)) for pair in pairs]
        elif atom == "tmpo" and isNumber:
            tags[atom] = [int(value) for value in values]
        elif atom == "cpil":
            tags[atom] = values == ["1"]
        elif atom.startswith("----:") or atom == "tmpo":
            tags[atom if atom != "tmpo" else free_key("MP4Tags", name)] = [value.encode() for value in values]
        else:
            tags[atom] = values
    if pictures:
        kinds = {True: MP4Cover.FORMAT_PNG, False: MP4Cover.FORMAT_JPEG}
        tags["covr"] = [MP4Cover(picture.data, kinds[picture.mime.lower() == "image/png"]) for picture in pictures]


def to_asf(tags, missing, pictures):
    for name, values in missing.items():
        isFlag = name == "compilation" and values in (["0"], ["1"])
        tags[key_of("ASFTags", name)] = [ASFBoolAttribute(values == ["1"])] if isFlag else values
    if pictures:
        tags["WM/Picture"] = [ASFByteArrayAttribute(asf_picture(picture)) for picture in pictures]


def asf_picture(picture):
    words = b"".join(text.encode("utf-16-le") + b"\0\0" for text in (picture.mime, picture.desc))
    return bytes([picture.type & 255]) + len(picture.data).to_bytes(4, "little") + words + picture.data


def to_ape(tags, missing, pictures):
    for name, values in missing.items():
        if not re.fullmatch("[ -~]{2,255}", name):
            continue
        tags[key_of("APEv2", name)] = values
    sides = {4: "Back"}
    for picture in reversed(pictures):
        ending = "png" if picture.mime.lower() == "image/png" else "jpg"
        tags[f"Cover Art ({sides.get(picture.type, 'Front')})"] = APEBinaryValue(f"cover.{ending}".encode() + b"\0" + picture.data)


WRITERS = {"ID3Tags": to_id3, "VComment": to_vorbis, "MP4Tags": to_mp4, "ASFTags": to_asf, "APEv2": to_ape}
