"""Carries over audio tags that FFmpeg does not. Usage: sound-tags.py SOURCE RESULT

Mutagen reads the source's fields with all their values, comments and lyrics with their languages, and covers,
and adds what the result lacks. A line of JSON reports which fields the result now has (`kept`: name and
values), which it lacks (`lost`), how many covers it lacks, how many chapters the source has in ID3, whether the
result has tags that could be read at all, and whether the encoding of the source's was guessed.

Exit codes: 0 done, 4 Mutagen is not installed; anything else is a failure of this program.
"""
import json
import mmap
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(__file__))

try:
    from mutagen import File, MutagenError
    from mutagen.aac import AAC
    from mutagen.apev2 import APEv2
    from mutagen.flac import FLAC
    from mutagen.id3 import ID3, TIME
    from mutagen.mp3 import MP3
    from mutagen.trueaudio import TrueAudio
    from mutagen.wave import WAVE
except ImportError:
    sys.exit(4)

from sound_tags_reading import CHUNKS, read
from sound_tags_writing import write

MOST_LETTERS = 500_000
# Exceptions that damaged files have been seen to cause in Mutagen.
UNREADABLE = (MutagenError, ValueError, KeyError, IndexError, EOFError, OverflowError, TypeError, AttributeError)


def opened(path):
    """A file, its tags, and any APE tags besides them."""
    # FLAC may follow tags of ID3, and is taken for MP3 then.
    for kind in (FLAC, File):
        try:
            file = kind(path)
            break
        except UNREADABLE:
            file = None
    try:
        # Without an ID3 header, an MP3 is only recognised by its name.
        tags = ID3(path) if file is None else file.tags
    except UNREADABLE:
        tags = None
    try:
        more = None if isinstance(tags, APEv2) else APEv2(path)
    except UNREADABLE:
        more = None
    return file, tags, more


MOST_CHUNKS = 100
LONGEST_TEXT = 65_536


def texts_of(path):
    """Names and contents of the text chunks of a WAV or AIFF, which Mutagen does not read."""
    with open(path, "rb") as file:
        order = {b"RIFF": "little", b"RF64": "little", b"FORM": "big"}.get(file.read(12)[:4])
        for _ in range(MOST_CHUNKS if order else 0):
            head = file.read(8)
            name, length = head[:4].decode("latin-1"), int.from_bytes(head[4:], order)
            if len(head) < 8:
                break
            if name == "LIST" and file.read(4) == b"INFO":
                continue
            at = file.tell() - (4 if name == "LIST" else 0)
            if name in CHUNKS:
                data = file.read(min(length, LONGEST_TEXT)).rstrip(b"\0")
                # The kind of what Windows shows comes first: 1 is text, others are pictures.
                if name != "DISP" or data[:4] == b"\1\0\0\0":
                    yield name, data[4 if name == "DISP" else 0 :]
            file.seek(at + length + length % 2)


def has_further_tags(path):
    """Whether ID3 tags follow the first, because MP3 files were joined."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return FURTHER_TAGS.search(data, 10) is not None


# A version, flags, a length of seven bits a byte and the name of a frame.
FURTHER_TAGS = re.compile(rb"ID3[\3\4]\0[\0-\xf0][\0-\x7f]{4}[A-Z][A-Z0-9]{3}\0")


def told_by(path, file, tags, more):
    told = read(getattr(file, "pictures", None) or [], tags, more, chunks=list(texts_of(path)))
    if isinstance(file, MP3) and has_further_tags(path):
        told.others.append("those of further recordings in the file")
    sheet = getattr(file, "cuesheet", None)
    # FFmpeg reads its tracks as chapters.
    if sheet is not None and (sheet.media_catalog_number.strip(b"\0") or any(track.isrc for track in sheet.tracks)):
        told.others.append("numbers of the cue sheet")
    return told


def carried(source_path, result_path):
    """The source's tags, and then the result's; the latter is None if it has no supported kind of tags."""
    source_file, source_tags, source_more = opened(source_path)
    source = told_by(source_path, source_file, source_tags, source_more)
    file, tags, more = opened(result_path)
    if file is not None and tags is None and not isinstance(file, (AAC, TrueAudio, WAVE)) and (source.texts or source.pictures):
        try:
            file.add_tags()
        except (MutagenError, NotImplementedError):
            pass
        tags = file.tags
    if isinstance(file, WAVE) or (tags is None and more is None):
        return source, None
    own = more if tags is None else tags
    if write(source, told_by(result_path, file, tags, more), file, own, source_tags):
        save(file, own, result_path)
        file, tags, more = opened(result_path)
    return source, told_by(result_path, file, tags, more)


# Frames of ID3v2.4 that programs write to and read from ID3v2.3.
ALSO_BEFORE = ("TSOA", "TSOP", "TSOT", "TSST", "TMOO", "TDOR", "TDRL", "RVA2")


def save(file, tags, path):
    """All or nothing: a failure leaves the result unchanged."""
    whole = f"{path}.whole"
    shutil.copyfile(path, whole)
    try:
        if isinstance(tags, ID3):
            # ID3v2.3, which every player reads, has no multi-value fields.
            isSeveral = any(len(getattr(frame, "text", "")) > 1 for frame in tags.values() if frame.FrameID.startswith("T"))
            # Nor has it seconds.
            isSeveral = isSeveral or any(date.second for frame in tags.getall("TDRC") for date in frame.text)
            if not isSeveral:
                kept = [frame for frame in tags.values() if frame.FrameID in ALSO_BEFORE]
                times = [date for frame in tags.getall("TDRC") for date in frame.text if date.hour is not None]
                tags.update_to_v23()
                # Mutagen drops the time of a full hour.
                for date in times[:1]:
                    tags.add(TIME(encoding=0, text=f"{date.hour:02}{date.minute or 0:02}"))
                for frame in kept:
                    tags.add(frame)
            tags.save(path, v2_version=4 if isSeveral else 3)
        elif isinstance(tags, APEv2):
            tags.save(path)
        else:
            file.save()
        os.remove(whole)
    except UNREADABLE:
        os.replace(whole, path)


def main(source_path, result_path):
    source, result = carried(source_path, result_path)
    there = told_by(result_path, None, None, None).fields() if result is None else result.fields()
    kept, lost = {}, {}
    for name, values in source.fields().items():
        (kept if set(values) <= set(there.get(name, [])) else lost)[name] = values
    covers = len(source.covers - result.covers) if result is not None else 0
    isGuessed = result is not None and source.isGuessed
    answer = {"kept": kept, "lost": lost, "covers": covers, "chapters": source.chapters, "isRead": result is not None, "isGuessed": isGuessed}
    if len(json.dumps(answer)) > MOST_LETTERS:
        answer["kept"], answer["lost"] = {}, {name: [] for name in lost}
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
