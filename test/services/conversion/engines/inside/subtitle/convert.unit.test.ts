import { describe, expect, it } from "vitest";
import { convertSubtitle } from "#services/conversion/engines/inside/subtitle/convert.ts";
import { subtitleEngine } from "#services/conversion/engines/media/subtitle.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(subtitleEngine, convertSubtitle);
const srt = (...texts: readonly string[]) =>
  texts.map((text, index) => `${index + 1}\n00:00:0${index + 1},000 --> 00:00:0${index + 2},000\n${text}\n`).join("\n");
const timed = (from: string, to: string) => `1\n00:00:${from} --> 00:00:${to}\nx\n`;

describe("a file that counts frames", () => {
  it("and tells no rate is taken as a film, with a note that names the option", async () => {
    const made = await convert("{24}{48}x\n", "sub", "srt");
    expect(made.text).toContain("00:00:01,001 --> 00:00:02,002");
    expect(made.notes.get("FRAME_RATE_GUESSED")).toMatch(/23\.976.*fps/);
  });

  it.each([
    ["its own rate", "{1}{1}25\n{25}{50}x\n", {}],
    ["the rate that was asked for", "{25}{50}x\n", { fps: 25 }],
  ])("is read by %s without one", async (_name, text, options) => {
    expect(await convert(text, "sub", "srt", options)).toMatchObject({ text: timed("01,000", "02,000"), codes: [] });
  });
});

describe("what a format cannot say is noted", () => {
  it.each([
    ["ass", srt("{sighs}"), ["CHARACTERS_REPLACED"]],
    ["ssa", srt("C:\\new"), ["CHARACTERS_REPLACED"]],
    ["ass", timed("01,237", "02,000"), ["NUMBERS_ROUNDED"]],
    ["ssa", timed("01,000", "02,001"), ["NUMBERS_ROUNDED"]],
    ["ass", timed("01,230", "02,340"), []],
    ["lrc", timed("01,237", "02,000"), ["NUMBERS_ROUNDED"]],
    ["lrc", srt("a\nb"), ["STRUCTURE_FLATTENED"]],
    ["lrc", `${timed("01,000", "03,000")}\n${timed("02,000", "04,000")}`, ["STRUCTURE_FLATTENED"]],
    ["smi", `${timed("01,000", "03,000")}\n${timed("02,000", "04,000")}`, ["STRUCTURE_FLATTENED"]],
    ["smi", timed("01,237", "02,001"), []],
    ["sub", timed("01,010", "02,000"), ["NUMBERS_ROUNDED"]],
    ["sub", srt("a|b"), ["CHARACTERS_REPLACED"]],
    ["sub", srt("{y:i}", "{c:$0000ff}"), ["CHARACTERS_REPLACED"]],
    ["vtt", timed("03,000", "02,000"), ["INPUT_DAMAGED"]],
    ["vtt", "1\n1000:00:00,000 --> 1000:00:01,000\nlate\n\n2\n00:00:01,000 --> 00:00:02,000\nx\n", ["INPUT_DAMAGED"]],
    ["vtt", "1\n00:00:01,000 --> 00:00:02,000 X1:40 X2:60\nx\n", ["STYLING_DROPPED"]],
  ])("%s of %j", async (to, text, codes) => {
    expect((await convert(text, "srt", to, to === "sub" ? { fps: 25 } : {})).codes).toEqual(codes);
  });

  it("of facts that are no subtitles", async () => {
    expect((await convert("[ti:Song]\n[00:01.00]x\n[00:02.00]\n", "lrc", "srt")).codes).toEqual(["METADATA_DROPPED"]);
    const spoken = "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Bob,0,0,0,,x\n";
    expect((await convert(spoken, "ass", "srt")).codes).toEqual(["METADATA_DROPPED"]);
  });
});

describe("looks and facts that no other format holds are noted", () => {
  const ass = (head: string, cells = "0,0:00:01.00,0:00:02.00,Sign,,0,0,0,,x") => `${head}[Events]\nDialogue: ${cells}\n`;
  const style = (columns: string, cells: string) => `[V4+ Styles]\nFormat: Name, ${columns}\nStyle: Sign,${cells}\n\n`;
  const vtt = (head: string, times = "00:01.000 --> 00:02.000", text = "x") => `WEBVTT${head}\n\n${times}\n${text}\n`;
  const ttml = (attributes: string, head = "", div = "") =>
    `<tt xmlns="http://www.w3.org/ns/ttml" ${attributes}><head>${head}</head><body><div ${div}><p begin="1s" end="2s">x</p></div></body></tt>`;
  const sami = (head: string) => `<SAMI><HEAD>${head}</HEAD><BODY><SYNC Start=1000><P>x<SYNC Start=2000><P>&nbsp;</BODY></SAMI>`;

  it.each([
    ["a font", "ass", ass(style("Fontname", "Papyrus")), "STYLING_DROPPED", "of Sign"],
    ["a colour", "ass", ass(style("PrimaryColour", "&H000000FF")), "STYLING_DROPPED", "of Sign"],
    ["a position", "ass", ass(style("Alignment", "8")), "STYLING_DROPPED", "of Sign"],
    ["margins", "ass", ass("", "0,0:00:01.00,0:00:02.00,Default,,0,0,40,,x"), "STYLING_DROPPED", "0:00:01.000"],
    ["an effect", "ssa", ass("", "0,0:00:01.00,0:00:02.00,Default,,0,0,0,Banner;5,x"), "STYLING_DROPPED", "0:00:01.000"],
    ["a place in a line", "ass", ass("", "0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\pos(1,2)}x"), "STYLING_DROPPED", "0:00:01.000"],
    ["fonts inside", "ass", ass("[Fonts]\nfontname: a.ttf\n"), "STYLING_DROPPED", "Fonts"],
    ["a title", "ass", ass("[Script Info]\nTitle: Quokka\n"), "METADATA_DROPPED", "title"],
    ["a comment", "ass", `${ass("")}Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,todo\n`, "METADATA_DROPPED", "Comments"],
    ["a comment in a line", "ass", ass("", "0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x{todo: y}"), "METADATA_DROPPED", "Comments"],
    ["a cue's name", "vtt", vtt("", "intro\n00:01.000 --> 00:02.000"), "METADATA_DROPPED", "intro"],
    ["a cue's settings", "vtt", vtt("", "00:01.000 --> 00:02.000 line:0 align:start"), "STYLING_DROPPED", "00:01.000"],
    ["a speaker", "vtt", vtt("", undefined, "<v Bob>x"), "METADATA_DROPPED", "Speakers"],
    ["a comment", "vtt", vtt("\n\nNOTE todo"), "METADATA_DROPPED", "Comments"],
    ["a head between joined parts", "vtt", `${vtt("")}\nWEBVTT\nX-TIMESTAMP-MAP=MPEGTS:9,LOCAL:00:00:00.000\n`, "METADATA_DROPPED", "head"],
    ["a language in the head", "vtt", vtt("\nLanguage: en"), "METADATA_DROPPED", "head"],
    ["a language", "ttml", ttml('xml:lang="de"'), "METADATA_DROPPED", "language"],
    ["a title", "ttml", ttml("", "<metadata><title>Quokka</title></metadata>"), "METADATA_DROPPED", "Titles"],
    ["a place of all", "ttml", ttml("", "", 'tts:textAlign="start"'), "STYLING_DROPPED", ""],
    ["a style sheet", "smi", sami("<STYLE><!-- P { color: red; } --></STYLE>"), "STYLING_DROPPED", ""],
    ["a title", "smi", sami("<TITLE>Quokka</TITLE>"), "METADATA_DROPPED", "title"],
    ["a length", "lrc", "[length: 03:20]\n[00:01.00]x\n[00:02.00]\n", "METADATA_DROPPED", "details"],
  ] as const)("%s of %s", async (_what, from, text, code, words) => {
    const made = await convert(text, from, "srt");
    expect(made.codes).toEqual([code]);
    expect(made.notes.get(code) ?? "").toContain(words);
    expect(made.text).toBe(timed("01,000", "02,000"));
  });

  it("and bold and italics of a style of SubStation Alpha are kept", async () => {
    const head = `${style("Bold, Italic", "-1,0")}`;
    const made = await convert(ass(head, "0,0:00:01.00,0:00:02.00,Sign,,0,0,0,,x {\\b0}y{\\r}z"), "ass", "srt");
    expect(made).toMatchObject({ text: srt("<b>x </b>y<b>z</b>"), codes: [] });
  });
});

/** Found with generated values: see test/values. */
describe("text that is a mark in another format", () => {
  const vtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`;

  it.each([
    ["srt", "&lt;i&gt;x", "\u2039i>x"],
    ["srt", "00:00:01,000 --&gt; 00:00:02,000", "00:00:01,000 -\u2192 00:00:02,000"],
    ["sbv", "0:00:01.000,0:00:02.000", "0:00:01.000;0:00:02.000"],
    ["lrc", "[00:05.00]x", "[00:01.00](00:05.00]x"],
    ["smi", "a   b", "a&nbsp;"],
  ])("is replaced with a note in %s: %s", async (to, text, written) => {
    const made = await convert(vtt(text), "vtt", to);
    expect(made.text.replaceAll("\u00a0", "&nbsp;")).toContain(written);
    expect(made.codes).toEqual(["CHARACTERS_REPLACED"]);
  });

  it("comes back through TTML, which names characters by numbers and keeps blanks where it says so", async () => {
    const paragraph = (text: string) =>
      `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="00:00:01.000" end="00:00:02.000">${text}</p></div></body></tt>`;
    expect((await convert(paragraph("it&#39;s &#x27;x&apos; <![CDATA[a &amp; b]]>"), "ttml", "srt")).text).toContain(
      "\nit's 'x' a &amp; b\n",
    );
    const source = srt("a   b & 'c'");
    expect((await convert((await convert(source, "srt", "ttml")).text, "ttml", "srt")).text).toBe(source);
  });

  it("has no blank line, also none of blanks, which ends a subtitle of SubRip", async () => {
    const sami = "<SAMI><BODY><SYNC Start=1000><P>a<br/>\n  <br/> b<SYNC Start=2000><P>&nbsp;</BODY></SAMI>";
    expect((await convert(sami, "smi", "srt")).text).toBe("1\n00:00:01,000 --> 00:00:02,000\na\n b\n");
  });

  it("that divides lines for programs and not for people stays in SubStation Alpha", async () => {
    const source = srt("a\u2028b");
    expect((await convert((await convert(source, "srt", "ass")).text, "ass", "srt")).text).toBe(source);
  });

  it("of digits at the first frame is no frame rate when one was told", async () => {
    const { text } = await convert("{1}{1}25\n{1}{25}42\n{50}{75}x\n", "sub", "srt");
    expect(text).toContain("00:00:00,040 --> 00:00:01,000\n42\n");
    expect(text).toContain("00:00:02,000 --> 00:00:03,000\nx\n");
  });

  it("is shown at the same time after ten hours of frames", async () => {
    const late = "1\n10:00:00,000 --> 10:00:01,000\nx\n";
    const { text } = await convert((await convert(late, "srt", "sub")).text, "sub", "srt");
    expect(text).toContain("\n10:00:00,000 -->");
  });
});

describe("text", () => {
  it("with backslashes comes back through SubStation Alpha", async () => {
    const source = srt("C:\\new \\Name \\home");
    expect((await convert((await convert(source, "srt", "ass")).text, "ass", "srt")).text).toBe(source);
  });

  it("with braces is read as ffmpeg writes it", async () => {
    const text = "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a \\{b\\} {hidden}c\n";
    expect((await convert(text, "ass", "srt")).text).toContain("\na {b} c\n");
  });

  it("of lyrics ends where the file says, however long it is", async () => {
    expect((await convert("[00:01.00]x\n[00:31.00]\n", "lrc", "srt")).text).toContain("00:00:01,000 --> 00:00:31,000");
  });

  it("of lyrics keeps a short pause", async () => {
    const text = `${timed("01,000", "02,000")}\n${timed("02,100", "03,000")}`;
    expect((await convert(text, "srt", "lrc")).text).toBe("[00:01.00]x\n[00:02.00]\n[00:02.10]x\n[00:03.00]\n");
  });
});

describe("a text that looks like a part of the file", () => {
  it.each(["<b", "00:00:01,000 --> 00:00:02,000"])("stays: %s", async (text) => {
    const made = await convert(srt(text, "!"), "srt", "vtt");
    expect(made.text).toContain(text.replace("<", "&lt;").replace(">", "&gt;"));
    expect(made.text).toContain("!");
  });
});

describe("a file that is a little odd", () => {
  it("and has no hours is read", async () => {
    expect((await convert("1\n00:01,000 --> 00:02,000\na\n", "srt", "sbv")).text).toBe("0:00:01.000,0:00:02.000\na\n");
  });

  it("and has lines without times says that they were left out", async () => {
    expect((await convert("{1}{1}25\n{25}{50}x\nstray\n", "sub", "srt")).notes.get("INPUT_DAMAGED")).toContain("line 3");
  });

  it("and has characters by the names of HTML shows them", async () => {
    const made = await convert(
      "WEBVTT\n\n00:01.000 --> 00:02.000\nx&eacute;&Eacute;&hellip;&frac12;&#00233;&amp;lt;&constructor;\n",
      "vtt",
      "sbv",
    );
    expect(made.text).toContain("\nxéÉ…½é&lt;&constructor;\n");
  });

  it("and tells when words are sung says that this was left out", async () => {
    expect((await convert("[00:01.00]<00:01.10>a\n[00:02.00]\n", "lrc", "srt")).codes).toEqual(["METADATA_DROPPED"]);
  });
});

describe("a text is neither lost nor joined to another", () => {
  const next = "2\n00:00:03,000 --> 00:00:04,000\ny\n";
  const two = `${timed("01,000", "02,000")}\n${next}`;
  const sami = (syncs: string) => `<SAMI><BODY>${syncs}<SYNC Start=2000><P Class=A>&nbsp;</BODY></SAMI>`;
  const ass = (start: string) =>
    `[Events]\nDialogue: 0,${start},0:00:02.00,Default,,0,0,0,,x\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,y\n`;
  const ttml = (inner: string) => `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">${inner}</p></div></body></tt>`;

  it.each([
    ["whose number follows a text at once", "srt", `1\n00:00:01,000 --> 00:00:02,000\nx\n${next}`, two, []],
    ["whose arrow has a dash", "srt", two.replace("-->", "\u2013>"), two, []],
    ["whose fractions follow a colon", "srt", two.replaceAll(",", ":"), two, []],
    ["that starts before zero", "srt", two.replace("00:00:01,000", "-00:00:01,000"), two.replace("01,000", "00,000"), ["INPUT_DAMAGED"]],
    ["that stands before all", "srt", `A title\n\n${two}`, two, ["INPUT_DAMAGED"]],
    [
      "whose times nobody reads",
      "srt",
      `${timed("01,000", "02,000")}\n2\n00:0o > 00:00:04\n`,
      timed("01,000", "02,000").trim(),
      ["INPUT_DAMAGED"],
    ],
    ["without times in a numbered file", "srt", `${two.split("\n\n", 1)[0]}\n\n2\nlost\n`, "x\n2\nlost", ["INPUT_DAMAGED"]],
    [
      "whose name begins as a comment",
      "vtt",
      "WEBVTT\n\nNOTE-1\n00:01.000 --> 00:02.000\nx\n",
      timed("01,000", "02,000"),
      ["METADATA_DROPPED"],
    ],
    ["beside another language", "smi", sami("<SYNC Start=1000><P Class=A>x<P Class=B>z"), timed("01,000", "02,000"), ["TRACKS_LEFT_OUT"]],
    ["of two paragraphs", "smi", sami("<SYNC Start=1000><P Class=A>x<P Class=A>z"), "x\nz", []],
    ["without fractions", "sbv", "0:00:01.000,0:00:02.000\nx\n\n0:00:03,0:00:04\ny\n", two, []],
    ["of ends of lines of old Macintoshes", "sub", "{1}{1}25\r{25}{50}x\r", timed("01,000", "02,000"), []],
    ["of digits from the first frame on", "sub", "{0}{25}10\n", "10", ["FRAME_RATE_GUESSED"]],
    ["without times", "lrc", "[00:01.00]x\nplain\n[00:02.00]\n", timed("01,000", "02,000"), ["INPUT_DAMAGED"]],
    ["of two times with a blank between", "lrc", "[00:01.00] [00:03.00]x\n[00:02.00]\n[00:04.00]\n", two.replace("y", "x"), []],
    ["of one time with its translation", "lrc", "[00:01.00]x\n[00:01.00]y\n[00:02.00]\n", timed("01,000", "02,000"), []],
    ["that ends at once", "lrc", "[00:01.00]x\n[00:01.00]\n", timed("01,000", "01,000"), []],
    ["after an hour", "lrc", "[01:00:01.00]x\n[01:00:02.00]\n", "01:00:01,000 --> 01:00:02,000\nx", []],
    ["that starts before zero", "ass", ass("-0:00:01.00"), two.replace("01,000", "00,000"), ["INPUT_DAMAGED"]],
    ["whose times nobody reads", "ass", ass("soon"), "y", ["INPUT_DAMAGED"]],
    ["in an element of another language", "ttml", ttml("<i>x</i>"), timed("01,000", "02,000"), []],
  ])("%s (%s): %j", async (_what, from, text, wanted, codes) => {
    const made = await convert(text, from, from === "srt" ? "vtt" : "srt");
    expect(from === "srt" ? (await convert(made.text, "vtt", "srt")).text : made.text).toContain(wanted);
    expect(made.codes).toEqual(codes);
  });

  it("in angle brackets that no player knows", async () => {
    const { text, codes } = await convert(srt("<laughs> a@b <c@d.example> <i>x</i>"), "srt", "ttml");
    expect(text).toContain('&lt;laughs&gt; a@b &lt;c@d.example&gt; <span tts:fontStyle="italic">x</span>');
    expect(codes).toEqual([]);
  });

  it.each(["lrc", "smi"])("that stands out of order ends where it says in %s", async (to) => {
    const made = await convert(`${timed("05,000", "06,000")}\n${timed("01,000", "02,000")}`, "srt", to);
    expect(made.codes).toEqual([]);
    expect((await convert(made.text, to, "srt")).text).toContain("00:00:05,000 --> 00:00:06,000");
  });

  it.each([
    ["vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\na<00:00:01.500><c> b</c>\n", "a b", ["METADATA_DROPPED"]],
    ["srt", srt("I <3> you"), "I <3> you", []],
  ])("with times of words, or what looks like one, in %s", async (from, text, wanted, codes) => {
    const made = await convert(text, from, "sbv");
    expect(made.text).toContain(wanted);
    expect(made.codes).toEqual(codes);
  });
});

describe("a text without an end", () => {
  it.each([
    ["sub", "{1}{1}25\n{25}{}x\n", 3],
    ["smi", "<SAMI><BODY><SYNC Start=1000><P>x</BODY></SAMI>", 5],
    ["ttml", '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s">x</p></div></body></tt>', 5],
  ])("got one in silence in %s", async (from, text, seconds) => {
    const made = await convert(text, from, "srt");
    expect(made.text).toContain(`00:00:01,000 --> 00:00:0${seconds + 1},000`);
    expect(made.notes.get("MEDIA_CHANGED")).toBe(`Texts without an end are shown for ${seconds} seconds, first at 0:00:01.000.`);
  });
});

it("drawings of ASS, and signs within texts where styles have looks of their own, are named", async () => {
  const head =
    "[Script Info]\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Sign,Papyrus,40\n[Events]\nFormat: Start, End, Style, Text\n";
  const text = `${head}Dialogue: 0:00:01.00,0:00:02.00,Sign,{\\pos(1,2)}x\nDialogue: 0:00:03.00,0:00:04.00,Sign,{\\p1}m 0 0 l 9 9{\\p0}\n`;
  expect((await convert(text, "ass", "srt")).notes.get("STYLING_DROPPED")).toBe(
    "Fonts, colours and positions of styles were left out, first of Sign. " +
      "Signs within texts for fonts, colours, positions and effects were left out, first at 0:00:01.000. " +
      "Drawings were left out, first at 0:00:03.000.",
  );
});
