"""The fields of audio files: their common names, those of Vorbis comments, and the key that each kind of tags has for them."""
import re

OWN = "----:com.apple.iTunes:"
# Name, ID3, MP4, ASF, APE. Anything not listed keeps its own name: TXXX, ---- and so on.
NAMES = [
    ("title", "TIT2", "\xa9nam", "Title", "Title"),
    ("artist", "TPE1", "\xa9ART", "Author", "Artist"),
    ("albumartist", "TPE2", "aART", "WM/AlbumArtist", "Album Artist"),
    ("album", "TALB", "\xa9alb", "WM/AlbumTitle", "Album"),
    ("composer", "TCOM", "\xa9wrt", "WM/Composer", "Composer"),
    ("genre", "TCON", "\xa9gen", "WM/Genre", "Genre"),
    ("date", "TDRC", "\xa9day", "WM/Year", "Year"),
    ("originaldate", "TDOR", None, "WM/OriginalReleaseYear", None),
    ("tracknumber", "TRCK", "trkn", "WM/TrackNumber", "Track"),
    ("discnumber", "TPOS", "disk", "WM/PartOfSet", "Disc"),
    ("bpm", "TBPM", "tmpo", "WM/BeatsPerMinute", "BPM"),
    ("copyright", "TCOP", "cprt", "Copyright", "Copyright"),
    ("grouping", "TIT1", "\xa9grp", "WM/ContentGroupDescription", "Grouping"),
    ("subtitle", "TIT3", None, "WM/SubTitle", "Subtitle"),
    ("conductor", "TPE3", None, "WM/Conductor", "Conductor"),
    ("remixer", "TPE4", None, "WM/ModifiedBy", "MixArtist"),
    ("lyricist", "TEXT", None, "WM/Writer", "Lyricist"),
    ("label", "TPUB", None, "WM/Publisher", "Label"),
    ("isrc", "TSRC", None, "WM/ISRC", "ISRC"),
    ("initialkey", "TKEY", None, "WM/InitialKey", "KEY"),
    ("language", "TLAN", None, "WM/Language", "Language"),
    ("mood", "TMOO", None, "WM/Mood", "Mood"),
    ("compilation", "TCMP", "cpil", "WM/IsCompilation", "Compilation"),
    ("titlesort", "TSOT", "sonm", "WM/TitleSortOrder", "TITLESORT"),
    ("artistsort", "TSOP", "soar", "WM/ArtistSortOrder", "ARTISTSORT"),
    ("albumsort", "TSOA", "soal", "WM/AlbumSortOrder", "ALBUMSORT"),
    ("albumartistsort", "TSO2", "soaa", "WM/AlbumArtistSortOrder", "ALBUMARTISTSORT"),
    ("composersort", "TSOC", "soco", "WM/ComposerSortOrder", "COMPOSERSORT"),
    ("movement", "MVNM", "\xa9mvn", "MOVEMENT", "MOVEMENT"),
    ("movementnumber", "MVIN", None, "MOVEMENTNUMBER", "MOVEMENTNUMBER"),
    ("grp1", "GRP1", None, "GRP1", "GRP1"),
    *(
        (f"musicbrainz_{what.lower().replace(' ', '')}", f"TXXX:MusicBrainz {what}", f"{OWN}MusicBrainz {what}", f"MusicBrainz/{what}", None)
        for what in ("Album Id", "Artist Id", "Album Artist Id", "Release Group Id", "Release Track Id")
    ),
    ("comment", None, "\xa9cmt", "Description", "Comment"),
    ("lyrics", None, "\xa9lyr", "WM/Lyrics", "Lyrics"),
]
# Other names for the same fields, as programs and FFmpeg write them.
SAME = {
    "album_artist": "albumartist", "album artist": "albumartist", "track": "tracknumber", "disc": "discnumber", "year": "date",
    "tbpm": "bpm", "tempo": "bpm", "tmpo": "bpm", "unsyncedlyrics": "lyrics", "unsynced lyrics": "lyrics", "uslt": "lyrics", "description": "comment",
    "publisher": "label", "organization": "label", "tkey": "initialkey", "key": "initialkey", "wm/beatsperminute": "bpm",
    "totaltracks": "tracktotal", "totaldiscs": "disctotal", "wm/lyrics": "lyrics", "tsrc": "isrc", "tmoo": "mood", "tcmp": "compilation",
    "tit1": "grouping", "tit3": "subtitle", "tpe3": "conductor", "text": "lyricist", "tdor": "originaldate",
    "sort_name": "titlesort", "sort_artist": "artistsort", "sort_album": "albumsort", "sort_album_artist": "albumartistsort",
    "sort_composer": "composersort", "author": "artist", "tlan": "language", "tpub": "label", "tpe4": "remixer",
    "title-sort": "titlesort", "artist-sort": "artistsort", "album-sort": "albumsort",
    # As FFmpeg writes what it does not know.
    **{key.split(":")[-1].lower(): name for name, *keys in NAMES for key in keys[:3] if key},
}
# About encoding, and about the sound data itself.
TECHNICAL = re.compile(
    r"^(\xa9too|pcst|encoder.*|encodedby|encoded[ _-]by|encoding( params)?|encodersettings|tsse|tenc|tlen|tflt|itun.*|isvbr|wmfsdk.*|wm/(wmadrc.*|encodingtime|"
    r"mediaclass.*|provider.*|uniquefileidentifier)|devicec.*|major_brand|minor_version|compatible_brands|chapter\d+.*|cuesheet|"
    r"metadata_block_picture|coverart.*|cover art.*|mp3gain.*|handler_name|vendor.*|pgap|duration|waveformatextensible.*)$"
)
# ID3 has dates in universal time, with other signs.
DATES = ("date", "originaldate")
TIME_OF_DAY = re.compile(r"^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(?::00)?|(:\d\d))(?:\.0+)?Z?$")
# Columns of the table above; Vorbis comments use the common names.
COLUMNS = {"ID3Tags": 1, "MP4Tags": 2, "ASFTags": 3, "APEv2": 4}
LISTED = {row[0] for row in NAMES}
FALLBACKS = {"ID3Tags": "TXXX:{}", "MP4Tags": OWN + "{}"}


def named(name):
    """The common name for a field."""
    plain = SAME.get(name.lower(), name.lower())
    return "lyrics" if re.match(r"lyrics-\w{2,3}$", plain) else plain


def keys_in(kind):
    """The key of each field in a kind of tags."""
    return {row[0]: row[COLUMNS[kind]] for row in NAMES if row[COLUMNS[kind]]}


def key_of(kind, name):
    """The key under which programs look for a field."""
    return (keys_in(kind).get(name) if kind in COLUMNS else None) or free_key(kind, name)


def free_key(kind, name):
    return FALLBACKS.get(kind, "{}").format(name.upper())


def is_at_home(kind, name, key, own):
    """Whether programs find a field by its key: the proper one, or one that the source, of the same kind, has for it too."""
    if (kind, name) in ID3_REMARKS:
        return key.startswith(ID3_REMARKS[kind, name])
    is_total = kind == "VComment" and key.lower() in TOTALS
    return is_total or key.lower() in {key_of(kind, name).lower(), *(each.lower() for each in own)}


ID3_REMARKS = {("ID3Tags", "comment"): "COMM", ("ID3Tags", "lyrics"): "USLT"}
TOTALS = ("tracktotal", "totaltracks", "disctotal", "totaldiscs")
