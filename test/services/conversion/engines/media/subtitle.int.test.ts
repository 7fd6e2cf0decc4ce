import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { subtitleEngine } from "#services/conversion/engines/media/subtitle.ts";
import { testEngine } from "#test/contract/engine.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);

/** Written as the formats' own programs do: two cues, the second of two lines, 1 to 2.5 and 3 to 4 seconds. */
const samples: Readonly<Record<string, string>> = {
  srt: "1\r\n00:00:01,000 --> 00:00:02,500\r\nQuokka <i>Ünïcødé</i>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nzebra\r\n42\r\n",
  vtt: "WEBVTT\n\nfirst\n00:01.000 --> 00:02.500\nQuokka <i>Ünïcødé</i>\n\nNOTE nothing\n\n00:00:03.000 --> 00:00:04.000\nzebra\n42\n",
  ass:
    "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n" +
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
    "Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,zebra\\N42\nDialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,Quokka {\\i1}Ünïcødé{\\i0}\n",
  ssa:
    "[Script Info]\nScriptType: v4.00\n\n[Events]\nFormat: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
    "Dialogue: Marked=0,0:00:01.00,0:00:02.50,Default,,0,0,0,,Quokka {\\i1}Ünïcødé\nDialogue: Marked=0,0:00:03.00,0:00:04.00,Default,,0,0,0,,zebra\\n42\n",
  ttml:
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"><body><div>' +
    '<p begin="00:00:01.000" end="2.5s">Quokka <span tts:fontStyle="italic">Ünïcødé</span></p>\n<p begin="3000ms" dur="1s">zebra<br/>42</p></div></body></tt>',
  smi:
    "<SAMI><HEAD></HEAD><BODY>\n<SYNC Start=1000><P Class=EN>Quokka <i>Ünïcødé</i>\n<SYNC Start=2500><P Class=EN>&nbsp;\n" +
    "<SYNC Start=3000><P Class=EN>zebra<br>42\n<SYNC Start=4000><P Class=EN>&nbsp;\n</BODY></SAMI>",
  sub: "{1}{1}25.000\n{25}{62}Quokka Ünïcødé\n{75}{100}{y:i}zebra|42\n",
  sbv: "0:00:01.000,0:00:02.500\nQuokka Ünïcødé\n\n0:00:03.000,0:00:04.000\nzebra\n42\n",
  lrc: "[ti:Song]\n[00:01.00]Quokka Ünïcødé\n[00:02.50]\n[00:03.00]zebra 42\n[00:04.00]\n",
};

type Seen = { readonly from: string; readonly to: string; readonly text: string };

/** As ffmpeg reads it; TTML, which ffmpeg does not read, by an XML parser. */
async function cuesOf(path: string, format: string): Promise<readonly Seen[]> {
  if (format === "ttml") {
    const script =
      "import sys,xml.etree.ElementTree as t\n" +
      "for p in t.parse(sys.argv[1]).iter('{http://www.w3.org/ns/ttml}p'): print(p.get('begin').replace('.',','),'-->',p.get('end').replace('.',','),'|',' '.join(p.itertext()))";
    const { stdout } = await run("/usr/bin/python3", ["-I", "-c", script, path]);
    return stdout.split("\n").flatMap((line) => {
      const [, from, to, text] = /^(\S+) --> (\S+) \| (.*)$/.exec(line) ?? [];
      return from === undefined || to === undefined ? [] : [{ from, to, text: (text ?? "").replace(/\s+/g, " ") }];
    });
  }
  const args = ["-nostdin", "-v", "error", "-i", path, "-f", "srt", "-"];
  const { stdout } = await run("ffmpeg", args);
  return stdout.split(/\n\n+/).flatMap((block) => {
    const [, times = "", ...lines] = block.trim().split("\n");
    const [from, to] = times.split(" --> ");
    const text = lines
      .join(" ")
      .replace(/<[^>]+>|\{[^}]*\}/g, "")
      .replace(/\s+/g, " ")
      .trim();
    return from === undefined || to === undefined || text === "" ? [] : [{ from, to, text }];
  });
}

const isNear = (found: string, wanted: string): boolean => {
  const ms = (time: string) => Number(time.slice(6).replace(",", "")) + Number(time.slice(3, 5)) * 60_000;
  return Math.abs(ms(found) - ms(wanted)) <= 25;
};

testEngine(subtitleEngine, {
  async sample(format, folder) {
    const path = join(folder, `sample.${format}`);
    await writeFile(path, samples[format] ?? "");
    return path;
  },
  async check(hop, _reading, path) {
    if (hop.to === "txt") {
      expect(await readFile(path, "utf8")).toMatch(/^Quokka Ünïcødé\nzebra[\n ]42\n$/);
      return;
    }
    const cues = await cuesOf(path, hop.to);
    expect(cues.map((cue) => cue.text)).toEqual(["Quokka Ünïcødé", "zebra 42"]);
    expect(isNear(cues[0]?.from ?? "", "00:00:01,000"), cues[0]?.from).toBe(true);
    expect(isNear(cues[1]?.from ?? "", "00:00:03,000"), cues[1]?.from).toBe(true);
    // ffmpeg ends lyrics where the next line starts.
    if (hop.to !== "lrc" && hop.to !== "smi") expect(isNear(cues[0]?.to ?? "", "00:00:02,500"), cues[0]?.to).toBe(true);
  },
});

describe("engine subtitle, in detail", () => {
  const convert = converting(subtitleEngine);

  it("brings times and styles back through every format that has them", async () => {
    const source =
      "1\n00:00:01,230 --> 00:00:02,340\n<i>one</i> two <b><u>three</u></b>\nfour & <five\n\n2\n01:02:03,450 --> 01:02:04,560\nsecond\n";
    for (const format of ["vtt", "ass", "ttml", "smi"]) {
      const there = await convert(source, "srt", format);
      expect(there.notes, format).toEqual([]);
      expect((await convert(there.text, format, "srt")).text, format).toBe(source);
    }
    expect((await convert(source, "srt", "sbv")).notes).toEqual(["STYLING_DROPPED"]);
    const coloured = await convert('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="red">up</font>\n', "srt", "vtt");
    expect([coloured.text, coloured.notes]).toEqual(["WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nup\n", ["STYLING_DROPPED"]]);
  });

  it("shifts, counts frames and reads encodings as asked", async () => {
    expect((await convert(samples.srt ?? "", "srt", "vtt", { shift: 1.5 })).text).toContain("00:00:02.500 --> 00:00:04.000");
    const early = await convert(samples.srt ?? "", "srt", "vtt", { shift: -2 });
    expect(early.text).toContain("00:00:00.000 --> 00:00:00.500");
    expect((await convert(samples.srt ?? "", "srt", "sub", { fps: 50 })).text).toBe(
      "{1}{1}50.000\n{50}{125}Quokka Ünïcødé\n{150}{200}zebra|42\n",
    );
    expect((await convert("{25}{50}x\n", "sub", "srt", { fps: 25 })).text).toContain("00:00:01,000 --> 00:00:02,000");
    const russian = Buffer.from([...Buffer.from("1\n00:00:01,000 --> 00:00:02,000\n"), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect((await convert(russian, "srt", "vtt", { encoding: "windows-1251" })).text).toContain("Привет");
  });

  it("keeps order and text where files are odd", async () => {
    const noBlank = "1\n00:00:01,000 --> 00:00:02,000\na\n\nstill a\n\n2\n00:00:03.000 --> 00:00:04.000 X1:1\nb";
    expect((await convert(noBlank, "srt", "sbv")).text).toBe("0:00:01.000,0:00:02.000\na\nstill a\n\n0:00:03.000,0:00:04.000\nb\n");
    expect((await convert("[00:01.00][00:05.00]Refrain\n[00:03.00]<00:03.10>Verse\n", "lrc", "sbv")).text).toMatch(
      /Refrain[\s\S]*Verse[\s\S]*Refrain/,
    );
    const two = "<SAMI><BODY><SYNC Start=0><P Class=KR>가<P Class=EN>a<SYNC Start=10><P Class=EN>b</BODY></SAMI>";
    expect((await convert(two, "smi", "srt")).notes).toContain("TRACKS_LEFT_OUT");
    expect((await convert("WEBVTT\n\n00:01.000 --> 00:02.000\na &amp; &lt;3\n", "vtt", "srt")).text).toContain("a & <3");
  });

  it.each([
    ["srt", "nothing here", "INVALID_INPUT"],
    ["ttml", "<tt><body><div></body></tt>", "INVALID_INPUT"],
    ["ttml", '<!DOCTYPE a [<!ENTITY b "x">]><tt>&b;</tt>', "INPUT_TOO_COMPLEX"],
    ["ttml", `<tt>${"<div>".repeat(5000)}${"</div>".repeat(5000)}</tt>`, "INPUT_TOO_COMPLEX"],
    ["srt", Buffer.from([0, 1, 2, 3]), "INVALID_INPUT"],
  ])("refuses %s that is none", async (from, content, code) => {
    await expect(convert(content, from, "vtt")).rejects.toMatchObject({ code });
  });
});
