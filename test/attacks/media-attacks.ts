/** Classes FF1 to FF4: disguised playlists, lying and encrypted media. */
import { silence } from "#test/harness/hostile-files.ts";
import { type Attack, attackOnTo } from "./attack.ts";

const playlist = (...segments: string[]) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:10\n${segments.map((name) => `#EXTINF:10,\n${name}\n`).join("")}#EXT-X-ENDLIST\n`;

function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

type Sound = { codec?: string; seconds?: number; samples?: number; tracks?: number };

/** An MP4 with PCM tracks; `samples` is the claimed count, the data is a tenth of a second. */
function mp4({ codec = "sowt", seconds = 0.1, samples = 800, tracks = 1 }: Sound): Buffer {
  const word = (value: number) => Math.min(0xffff_ffff, Math.round(value)).toString(16).padStart(8, "0");
  const none = "00000000";
  const rate = 8000;
  const unit = `${"00010000".padEnd(24, "0")}${"0000000000010000".padEnd(32, "0")}${"40000000"}`;
  const trackOf = (id: number) => {
    const entry = box(codec, "0000000000000001", none, none, "00010010", none, "1f400000");
    const table = box(
      "stbl",
      box("stsd", none, word(1), entry),
      box("stts", none, word(1), word(samples), word(Math.max(1, (seconds * rate) / samples))),
      box("stsc", none, word(1), word(1), word(samples), word(1)),
      box("stsz", none, word(2), word(samples)),
      box("stco", none, word(1), word(40)),
    );
    const data = box("dinf", box("dref", none, word(1), box("url ", "00000001")));
    const media = box(
      "mdia",
      box("mdhd", none, none, none, word(rate), word(seconds * rate), "55c40000"),
      box("hdlr", none, none, Buffer.from("soun"), none, none, none, "00"),
      box("minf", box("smhd", none, none), data, table),
    );
    return box(
      "trak",
      box("tkhd", "00000003", none, none, word(id), none, word(seconds * rate), none, none, none, none, unit, none, none),
      media,
    );
  };
  const header = box(
    "mvhd",
    none,
    none,
    none,
    word(rate),
    word(seconds * rate),
    "00010000",
    "01000000",
    none,
    none,
    unit,
    none,
    none,
    none,
    none,
    none,
    none,
    word(tracks + 1),
  );
  const all = Array.from({ length: tracks }, (_, index) => trackOf(index + 1));
  return Buffer.concat([
    box("ftyp", Buffer.from("isom"), none, Buffer.from("isommp41")),
    box("mdat", Buffer.alloc(1600)),
    box("moov", header, ...all),
  ]);
}

/** An AVI with one raw picture that claims an arbitrary size. */
function avi(side: number): Buffer {
  const list = (type: string, kind: string, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat([Buffer.from(kind), ...parts]);
    const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const words = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
    return bytes;
  };
  const part = (id: string, body: Buffer): Buffer => list(id, "", body);
  const main = part("avih", words(40_000, 0, 0, 16, 1, 0, 1, 0, side, side, 0, 0, 0, 0));
  const header = part("strh", Buffer.concat([Buffer.from("vidsRGB "), words(0, 0, 0, 1, 25, 0, 1, 0, 0, 0, 0, 0)]));
  const format = part("strf", Buffer.concat([words(40, side, side), words(0x0018_0001), words(0, 0, 0, 0, 0, 0)]));
  return list(
    "RIFF",
    "AVI ",
    list("LIST", "hdrl", main, list("LIST", "strl", header, format)),
    list("LIST", "movi", part("00db", Buffer.alloc(4096))),
  );
}

function endlessWav(): Buffer {
  const file = silence(4096);
  file.writeUInt32LE(0xffff_fff0, 4);
  file.writeUInt32LE(0xffff_ff00, 40);
  return file;
}

const attack = attackOnTo("ffmpeg", ["mp3"]);
const as = (format: string) => ({ query: `from=${format}`, isEarly: true });

export const mediaAttacks: readonly Attack[] = [
  attack(
    "FF1-file",
    "a playlist of a host's file, named .mp4",
    "a.mp4",
    ({ secretFile }) => playlist(`file://${secretFile}`),
    "INVALID_INPUT",
    as("mp4"),
  ),
  attack("FF1-web", "a playlist of an address, named .avi", "a.avi", ({ url }) => playlist(`${url}/hls.ts`), "INVALID_INPUT", as("avi")),
  attack(
    "FF1-neighbour",
    "a playlist of another account's film, named .mp4",
    "a.mp4",
    ({ neighbour }) => playlist(neighbour),
    "INVALID_INPUT",
    as("mp4"),
  ),
  attack("FF1-stream", "a playlist claimed to be a transport stream", "a.ts", ({ neighbour }) => playlist(neighbour), "INVALID_INPUT", {
    ...as("ts"),
    to: ["mp4"],
  }),
  attack("FF1-told", "a playlist under its own name", "a.m3u8", ({ neighbour }) => playlist(neighbour), "UNSUPPORTED_CONVERSION", {
    isEarly: true,
  }),
  attack(
    "FF2-concat",
    "a list of files to join",
    "a.mp4",
    ({ neighbour }) => `ffconcat version 1.0\nfile '${neighbour}'\n`,
    "INVALID_INPUT",
    as("mp4"),
  ),
  attack(
    "FF2-session",
    "a session description that opens ports",
    "a.mp4",
    ({ port }) => `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    "INVALID_INPUT",
    as("mp4"),
  ),
  attack(
    "FF2-dash",
    "a DASH manifest",
    "a.mp4",
    ({ url }) =>
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${url}/dash.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    "INVALID_INPUT",
    as("mp4"),
  ),
  attack(
    "FF2-spaced",
    "a playlist behind blank lines",
    "a.mkv",
    ({ neighbour }) => `\n\n   ${playlist(neighbour)}`,
    "INVALID_INPUT",
    as("mkv"),
  ),
  attack("FF3-years", "a tenth of a second that claims to last for years", "a.mp4", () => mp4({ seconds: 500_000 }), "INPUT_TOO_COMPLEX"),
  attack(
    "FF3-samples",
    "two billion samples in a table of 100 bytes",
    "a.mp4",
    () => mp4({ samples: 0x7fff_ffff, seconds: 80_000 }),
    "is bounded",
  ),
  attack("FF3-tracks", "nine hundred tracks", "a.mp4", () => mp4({ tracks: 900 }), "is bounded"),
  attack("FF3-pixels", "a film of 16,000 by 16,000 pixels", "a.avi", () => avi(16_000), "INPUT_TOO_COMPLEX", { to: ["mp4", "png"] }),
  attack("FF3-wave", "a WAV that claims 4 GB", "a.wav", endlessWav, "converts", { to: ["flac"] }),
  attack("FF4-rights", "a track under digital rights management", "a.mp4", () => mp4({ codec: "enca" }), "INVALID_INPUT"),
  attack("FF4-empty", "a film without tracks", "a.mp4", () => mp4({ tracks: 0 }), "INVALID_INPUT"),
  attack("FF4-cut", "a film without its table of contents", "a.mp4", () => mp4({}).subarray(0, 1000), "INVALID_INPUT"),
];
