"""Subtitles as lists of {start, end, text, looks}: times in milliseconds,
and for each character whether it is bold, italic or underlined."""
import html
import re
import xml.etree.ElementTree as elements

FPS = 25


def clock(ms, separator, digits, hours):
    unit = 10 ** (3 - digits)
    whole = (ms + unit // 2) // unit
    seconds, part = divmod(whole, 10**digits)
    return f"{seconds // 3600:0{hours}}:{seconds // 60 % 60:02}:{seconds % 60:02}{separator}{part:0{digits}}"


def ms_of(text):
    *hours, minutes, seconds = re.split(":", text.strip().replace(",", "."))
    return round((int(hours[0]) if hours else 0) * 3600000 + int(minutes) * 60000 + float(seconds) * 1000)


def tagged(cue, escape):
    text = escape(cue["text"])
    for mark in cue["looks"]:
        text = f"<{mark}>{text}</{mark}>"
    return text


def cue_said(start, end, text, looks):
    said = {"start": {"t": str(start)}, "end": {"t": str(end)}, "text": {"t": text}, "looks": {"t": "".join(sorted(looks))}}
    return {"m": list(said.items())}


def plain_cues(value):
    for cue in value:
        of = dict(cue["m"])
        yield {"start": int(of["start"]["t"]), "end": int(of["end"]["t"]), "text": of["text"]["t"], "looks": of["looks"]["t"]}


def braced(cue):
    return "".join(f"{{\\{mark}1}}" for mark in cue["looks"]) + cue["text"].replace("\n", "\\N")


def microdvd(cues):
    def marks(cue):
        return f"{{Y:{','.join(cue['looks'])}}}" if cue["looks"] else ""

    lines = [f"{{{cue['start'] * FPS // 1000}}}{{{cue['end'] * FPS // 1000}}}{marks(cue)}{cue['text'].replace(chr(10), '|')}" for cue in cues]
    return "\n".join([f"{{1}}{{1}}{FPS}", *lines]) + "\n"


def sami(cues):
    body = "".join(
        f"<SYNC Start={cue['start']}><P Class=EN>{tagged(cue, html.escape).replace(chr(10), '<br>')}\n<SYNC Start={cue['end']}><P Class=EN>&nbsp;\n"
        for cue in cues
    )
    return f"<SAMI><HEAD></HEAD><BODY>\n{body}</BODY></SAMI>\n"


def ttml(cues):
    def style(cue):
        names = {"b": 'tts:fontWeight="bold"', "i": 'tts:fontStyle="italic"', "u": 'tts:textDecoration="underline"'}
        return " ".join(names[mark] for mark in cue["looks"])

    body = "".join(
        f'<p begin="{clock(cue["start"], ".", 3, 2)}" end="{clock(cue["end"], ".", 3, 2)}" {style(cue)}>'
        f"{html.escape(cue['text']).replace(chr(10), '<br/>')}</p>"
        for cue in cues
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" '
        f'xml:space="preserve"><body><div>{body}</div></body></tt>'
    )


STYLES = "Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Underline"
EVENTS = "Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"


def substation(cues, version, first):
    head = f"[Script Info]\nScriptType: {version}\n\n[{version[:2].upper()}{version[5:]} Styles]\nFormat: {STYLES}\nStyle: Default,Arial,16,&H00FFFFFF,0,0,0\n"
    events = "".join(f"Dialogue: {first},{clock(c['start'], '.', 2, 1)},{clock(c['end'], '.', 2, 1)},Default,,0,0,0,,{braced(c)}\n" for c in cues)
    return f"{head}\n[Events]\nFormat: {'Marked' if '=' in first else 'Layer'}, {EVENTS}\n{events}"


def lyrics(cues):
    def time(ms):
        return f"[{ms // 60000:02}:{ms // 1000 % 60:02}.{ms // 10 % 100:02}]"

    return "".join(f"{time(cue['start'])}{cue['text']}\n{time(cue['end'])}\n" for cue in cues)


def write(kind, value, path):
    cues = list(plain_cues(value))
    blocks = {
        "srt": lambda: "".join(
            f"{at}\r\n{clock(c['start'], ',', 3, 2)} --> {clock(c['end'], ',', 3, 2)}\r\n{tagged(c, str)}\r\n\r\n" for at, c in enumerate(cues, 1)
        ),
        "vtt": lambda: "WEBVTT\n\n"
        + "".join(
            f"{clock(c['start'], '.', 3, 2)} --> {clock(c['end'], '.', 3, 2)}\n{tagged(c, lambda text: html.escape(text, quote=False))}\n\n" for c in cues
        ),
        "sbv": lambda: "".join(f"{clock(c['start'], '.', 3, 1)},{clock(c['end'], '.', 3, 1)}\n{c['text']}\n\n" for c in cues),
        "sub": lambda: microdvd(cues),
        "smi": lambda: sami(cues),
        "ttml": lambda: ttml(cues),
        "ass": lambda: substation(cues, "v4.00+", "0"),
        "ssa": lambda: substation(cues, "v4.00", "Marked=0"),
        "lrc": lambda: lyrics(cues),
    }
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(blocks[kind]())


def looks_of(text, escaped):
    """Strips HTML style tags from a text, and returns which ones it had."""
    looks = set(re.findall(r"<([biu])>", text))
    text = re.sub(r"</?[biu]>", "", text)
    return html.unescape(text) if escaped else text, looks


def read_blocks(text, times, escaped):
    found = []
    for block in re.split(r"\n{2,}", text.replace("\r\n", "\n").strip("\n")):
        lines = block.split("\n")
        at = next((at for at, line in enumerate(lines[:2]) if re.fullmatch(times, line)), None)
        if at is not None:
            start, end = re.fullmatch(times, lines[at]).groups()
            found.append(cue_said(ms_of(start), ms_of(end), *looks_of("\n".join(lines[at + 1 :]), escaped)))
    return found


def read_microdvd(text):
    rate, found = FPS, []
    for line in filter(None, text.split("\n")):
        start, end, body = re.fullmatch(r"\{(\d+)\}\{(\d+)\}(.*)", line, re.S).groups()
        if start == end == "1":
            rate = float(body)
            continue
        marks = set()
        for looks in re.findall(r"\{[yY]:([biu,]+)\}", body):
            marks = set(looks.split(","))
        body = re.sub(r"\{[yY]:[biu,]+\}", "", body)
        found.append(cue_said(round(int(start) / rate * 1000), round(int(end) / rate * 1000), body.replace("|", "\n"), marks))
    return found


def read_sami(text):
    syncs = re.findall(r"<SYNC Start=(\d+)><P[^>]*>(.*?)(?=<SYNC|</BODY>)", text, re.S)
    found = []
    for at, (start, body) in enumerate(syncs):
        body = re.sub(r"</(P|SYNC)>", "", body).strip(" \r\n")
        if body != "&nbsp;":
            end = int(syncs[at + 1][0]) if at + 1 < len(syncs) else 0
            found.append(cue_said(int(start), end, *looks_of(re.sub(r"[ \t\r\n]+", " ", body).replace("<br>", "\n"), True)))
    return found


def read_ttml(raw):
    tts, found = "{http://www.w3.org/ns/ttml#styling}", []
    names = {"bold": "b", "italic": "i", "underline": "u"}
    for p in elements.fromstring(raw).iter("{http://www.w3.org/ns/ttml}p"):
        looks, parts = set(), []

        def walk(element):
            looks.update(names[value] for name, value in element.attrib.items() if name.startswith(tts) and value in names)
            if element.tag.endswith("}br"):
                parts.append("\n")
            parts.append(element.text or "")
            for child in element:
                walk(child)
                parts.append(child.tail or "")

        walk(p)
        found.append(cue_said(ms_of(p.get("begin")), ms_of(p.get("end")), "".join(parts), looks))
    return found


def read_substation(text):
    found = []
    for line in re.findall(r"^Dialogue: (.*)$", text, re.M):
        _, start, end, *_, body = line.split(",", 9)
        looks = set(re.findall(r"\\([biu])1", "".join(re.findall(r"\{[^}]*\}", body))))
        body = re.sub(r"\{[^}]*\}", "", body)
        found.append(cue_said(ms_of(start), ms_of(end), re.sub(r"\\[Nn]", "\n", body).replace("\\h", "\u00a0"), looks))
    return found


def read_lyrics(text):
    stamp = r"\[\d+:\d+\.\d+\]"
    # A line may be repeated at several times.
    told = re.findall(rf"^((?:{stamp})+)(.*)$", text, re.M)
    lines = sorted(((time[1:-1], body) for times, body in told for time in re.findall(stamp, times)), key=lambda line: ms_of(line[0]))
    # Lines of the same time are shown together until the next time, but an empty line ends the one before it.
    ends = [next((ms_of(later) for later, body in lines[at + 1 :] if body == "" or ms_of(later) > ms_of(time)), 0) for at, (time, _) in enumerate(lines)]
    return [cue_said(ms_of(time), end, body, set()) for (time, body), end in zip(lines, ends) if body]


def read(kind, path):
    with open(path, "rb") as file:
        raw = file.read()
    if kind == "ttml":
        return read_ttml(raw)
    text = raw.decode("utf-8-sig")
    srt, vtt, sbv = r"([\d:,]+) --> ([\d:,]+)", r"([\d:.]+) --> ([\d:.]+)", r"(\d+:\d\d:\d\d\.\d+),(\d+:\d\d:\d\d\.\d+)"
    readers = {
        "srt": lambda: read_blocks(text, srt, False),
        "vtt": lambda: read_blocks(text, vtt, True),
        "sbv": lambda: read_blocks(text, sbv, False),
        "sub": lambda: read_microdvd(text),
        "smi": lambda: read_sami(text),
        "ass": lambda: read_substation(text),
        "ssa": lambda: read_substation(text),
        "lrc": lambda: read_lyrics(text),
    }
    return readers[kind]()
