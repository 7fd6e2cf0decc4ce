/** Differences between a result and its source: both are probed and compared. */
import { FilemillError, invalidOption } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { BesideSound } from "#services/conversion/domain/questions.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { keptSubtitlesOf, outputInside } from "./ffmpeg-arguments.ts";
import { damageSigns, type Length, noteGaps, statesLength } from "./ffmpeg-completeness.ts";
import { audioFormats, containerOf, subtitleFormats } from "./ffmpeg-formats.ts";
import { speedOf } from "./ffmpeg-own.ts";
import { fieldsOf, probe, rowsOf, textOf } from "./ffmpeg-probe.ts";
import { type Media, readResult, type Stream, streamsOf, type TrackMark } from "./ffmpeg-streams.ts";
import { type CarriedTags, carryTags, isUnreadable, lostWith } from "./ffmpeg-tags.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

/** A shift of a chapter's start that counts as one, in seconds: formats round to milliseconds, and some count from the first audible sound. */
const leastShift = 0.06;
/** A change of the frame rate that counts as one, as a share. */
const leastRateChange = 0.02;

/** How long the result is. The clock of FFmpeg also counts what decoders of damaged sound skip, so there the file is asked. */
export async function writtenSecondsOf(session: ToolSession, { hop }: HopTask, end: SandboxEnd, clockSeconds: number): Promise<number> {
  const demuxer = audioFormats[hop.to]?.demuxer;
  if (demuxer === undefined || !statesLength(demuxer) || end.exitCode !== 0 || !damageSigns.test(end.stderr)) return clockSeconds;
  const { durationSeconds } = await readResult(session, demuxer, outputInside);
  return durationSeconds > 0 ? Math.min(clockSeconds, durationSeconds) : clockSeconds;
}

/**
 * Notes what a sound or film result lacks or has changed without a request.
 *
 * @throws FilemillError CONVERSION_FAILED for sound that cannot be read back.
 * @param converted The result's audio and video tracks.
 * @param expected Undefined if it is known that something is missing.
 */
export async function noteChanges(
  session: ToolSession,
  inspector: Inspector,
  task: HopTask,
  { media, converted, expected }: { readonly media: Media; readonly converted: readonly Stream[]; readonly expected: Length | undefined },
): Promise<void> {
  const target = audioFormats[task.hop.to] ?? videoFormats[task.hop.to];
  if (target?.demuxer === undefined) return;
  const carried = await carryTags(session, inspector, task);
  const result = await readResult(session, target.demuxer, outputInside);
  if (expected !== undefined) noteGaps(task, result, target.demuxer, expected);
  if (result.streams.some(({ kind, channels }) => kind === "audio" && channels === 0)) {
    throw new FilemillError("CONVERSION_FAILED", "The format does not support this many channels.");
  }
  const changes = ["video", "audio"].flatMap((kind) => {
    const written = result.streams.filter((stream) => stream.kind === kind);
    const sources = converted.filter((stream) => stream.kind === kind);
    return written.flatMap((stream, place) => changesOf(task, sources[place], stream));
  });
  if (changes.length > 0) task.note("MEDIA_CHANGED", [...new Set(changes)].join(" "));
  const lost = lostOf(task, media, result, carried);
  if (lost.length > 0) task.note("METADATA_DROPPED", `Not carried over: ${lost.join("; ")}.`);
  const tracks = [...converted, ...keptSubtitlesOf(task, media)];
  const languages = namesLost(tracks, result, ({ language }) => language.replace(/^und$/, ""));
  if (languages.length > 0) task.note("METADATA_DROPPED", `The format does not store the language of a track (${languages.join(", ")}).`);
  const titles =
    task.options.metadata === "strip" || media.tagsAreInStream || audioFormats[task.hop.to] !== undefined
      ? []
      : namesLost(tracks, result, ({ title }) => title);
  if (titles.length > 0) task.note("METADATA_DROPPED", "The format does not store track titles.");
  const marks = marksLost(tracks, result);
  if (marks.length > 0) task.note("METADATA_DROPPED", `The format cannot mark tracks as ${marks.join(", ")}.`);
  if (await losesCaptions(session, task, converted[0], result))
    task.note("MEDIA_CHANGED", "Closed captions within the video were left out.");
  if (media.otherTracks > result.otherTracks) task.note("TRACKS_LEFT_OUT", "Attached files and data tracks were left out.");
  const unknown = new Set(media.unknownKinds.filter((kind) => kind === "audio" || audioFormats[task.hop.to] === undefined));
  if (unknown.size > 0) task.note("TRACKS_LEFT_OUT", `A track was left out because its codec is unknown (${[...unknown].join(", ")}).`);
}

/** @throws FilemillError INVALID_INPUT for a subtitle track without any text, INVALID_OPTION for a part without any. */
export async function assertText(session: ToolSession, { hop, options }: HopTask): Promise<void> {
  const first = ["-read_intervals", "%+#1"];
  const { answer } = await probe(session, subtitleFormats[hop.to]?.muxer ?? "", outputInside, "packet=size", first);
  if (rowsOf(fieldsOf(answer.packets).packet).length > 0) return;
  const cut = ["start", "duration"].find((name) => options[name] !== undefined);
  if (cut !== undefined) throw invalidOption(cut, "This part of the subtitle track contains no text.");
  throw new FilemillError("INVALID_INPUT", "The subtitle track contains no text.");
}

/** Broadcasts send closed captions (CEA-608 and 708) with each picture, also before the first text; of the encoders, only these write them. */
async function losesCaptions(session: ToolSession, task: HopTask, film: Stream | undefined, result: Media): Promise<boolean> {
  const [written] = streamsOf(result, "video");
  const mayLose = film !== undefined && /^(h264|hevc|mpeg2video)$/.test(film.codec) && written !== undefined;
  if (!mayLose || written.codec === film.codec || /^(h264|mpeg2video)$/.test(written.codec)) return false;
  const some = ["-select_streams", String(film.index), "-read_intervals", "%+#30"];
  const demuxer = containerOf(task.input.format)?.demuxer ?? "";
  const { answer } = await probe(session, demuxer, inputInside, "frame=pts:frame_side_data=side_data_type", some);
  const data = rowsOf(fieldsOf(answer.frames).frame).flatMap((frame) => rowsOf(fieldsOf(frame.side_data_list).side_data));
  return data.some((each) => textOf(each.side_data_type).includes("Closed Captions"));
}

function changesOf(task: HopTask, source: Stream | undefined, written: Stream): readonly string[] {
  if (source === undefined) return [];
  const changes = source.kind === "audio" ? soundChanges(task, source, written) : filmChanges(task, source, written);
  return changes.map(([what, now, before]) => `${what}: ${now} instead of ${before}.`);
}

type Change = readonly [what: string, now: string | number, before: string | number];

function soundChanges({ options }: HopTask, source: Stream, written: Stream): readonly Change[] {
  const isMixed =
    source.channels !== written.channels || (source.channels > 2 && source.layout !== "" && placesOf(source) !== placesOf(written));
  const channels = (stream: Stream) => `${stream.channels}${stream.layout === "" ? "" : ` (${stream.layout})`}`;
  const bits = ({ bits, isFloat }: Stream) => `${bits} bits${isFloat ? " in floating point" : ""}`;
  const isExact = /^(pcm|flac|alac|wavpack|tta)/.test(written.codec);
  const isShortened = written.bits < source.bits || (source.isFloat && !written.isFloat);
  return [
    ...(options.sampleRate === undefined && source.sampleRate !== written.sampleRate && source.sampleRate > 0
      ? [["Sample rate", written.sampleRate, source.sampleRate] as const]
      : []),
    ...(options.channels === undefined && isMixed && source.channels > 0
      ? [["Channels", channels(written), channels(source)] as const]
      : []),
    ...(options.bitDepth === undefined && isExact && isShortened ? [["Samples", bits(written), bits(source)] as const] : []),
  ];
}

/** Few formats distinguish side from back speakers. */
const placesOf = ({ layout }: Stream): string => layout.replace(/\((side|back)\)$/, "");

function filmChanges(task: HopTask, source: Stream, written: Stream): readonly Change[] {
  const { options } = task;
  if (written.codec === source.codec && written.pixelFormat === source.pixelFormat && written.width === source.width) return [];
  const size = ({ width, height }: Stream) => `${width} × ${height}`;
  const turned = { ...source, width: source.height, height: source.width };
  const isSized = [source, ...(source.isTurned ? [turned] : [])].some((stream) => size(stream) === size(written));
  const isAsked = ["width", "height", "rotate", "crop"].some((name) => options[name] !== undefined && options[name] !== "0");
  const rates = [source.framesPerSecond, written.framesPerSecond] as const;
  // Animations have variable frame rates.
  const isFilm = !/^(gif|apng)$/.test(source.codec) && speedOf(task) === 1;
  // Matroska states the shortest duration of a frame, not the average of a phone's uneven ones.
  const isNominal = containerOf(task.hop.to)?.demuxer === "matroska" && Math.abs(written.framesPerSecond - source.nominalRate) < 0.01;
  // ASF states none; FFmpeg takes its clock for that of a single picture.
  const isClock = containerOf(task.hop.to)?.demuxer === "asf" && written.framesPerSecond === 1000;
  const isFaster = isFilm && !isNominal && !isClock && Math.abs(rates[1] - rates[0]) > rates[0] * leastRateChange && Math.min(...rates) > 0;
  return [
    ...(isSized || isAsked ? [] : [["Frame size", size(written), size(source)] as const]),
    ...(source.mayBeInterlaced && !written.mayBeInterlaced ? [["Frames", "progressive", "interlaced"] as const] : []),
    ...(isFaster && options.fps === undefined ? [["Frame rate", rateText(rates[1]), rateText(rates[0])] as const] : []),
    ...(depthOf(written) < depthOf(source) ? [["Bits per colour channel", depthOf(written), depthOf(source)] as const] : []),
    ...(isFilm && sharingOf(written) > sharingOf(source)
      ? [["Pixels per colour sample", sharingOf(written), sharingOf(source)] as const]
      : []),
  ];
}

/** How many pixels share one chroma sample; each has its own luma sample. */
function sharingOf({ pixelFormat }: Stream): number {
  if (/^gray|^mono/.test(pixelFormat)) return 4;
  if (/(420|411)|^nv(12|21)/.test(pixelFormat)) return 4;
  return /422|^nv16|^yuyv|^uyvy/.test(pixelFormat) ? 2 : 1;
}

const rateText = (rate: number): string => String(Number(rate.toFixed(3)));

/** Bits per colour component. */
export function depthOf({ pixelFormat }: Stream): number {
  const [, bits] = /(?:p|gray|gbrap?|rgb|bgr)(9|10|12|14|16|48|64|30)(?:le|be)$/.exec(pixelFormat) ?? [];
  if (bits === undefined) return 8;
  return bits === "48" || bits === "64" ? 16 : bits === "30" ? 10 : Number(bits);
}

/** Technical tags about encoding and playback, not about the content. */
const technical =
  /^(encoder|encoded_by|encoding[_ ].*|encodersettings|tool|major_brand|minor_version|compatible_brands|handler_name|vendor_id|duration|bps.*|number_of_.*|_statistics_.*|language|alpha_mode|timecode|reel_name|isvbr|wmfsdk.*|wm_wmadrc.*|deviceconformancetemplate|itunnorm|itunsmpb|tlen|tsse|com_android_.*|id3v2_priv_.*|gapless_playback|media_type|.*_ul|.*u(m)?id|product_(name|version.*)|toolkit_version.*|company_name|application_platform)$/;

/** ffmpeg writes these but does not read them back. */
const threeG = /^(title|artist|author|genre|comment|album|copyright|date)$/;
const toldOnly: Readonly<Record<string, RegExp>> = { "3gp": threeG, "3g2": threeG };

/** No container written here holds these. */
const besideWords: Readonly<Record<BesideSound, string>> = {
  marks: "markers in the audio",
  regions: "regions of the audio",
  loops: "loops for samplers",
  sampler: "settings for samplers",
  recording: "recording notes (iXML)",
  broadcast: "broadcast notes (cart)",
  loudness: "the measured loudness (bext)",
  scene: "the audio scene description (ADM)",
  xmp: "XMP",
  descriptions: "descriptions in the form of phones (3GPP)",
  comments: "comments",
  chained: "tags of further recordings in the file",
};
const ofSound: ReadonlySet<BesideSound> = new Set(["marks", "regions", "loops", "sampler", "scene"]);

function lostOf(task: HopTask, media: Media, result: Media, carried: CarriedTags | undefined): readonly string[] {
  const covers = (of: Media) => streamsOf(of, "cover").length;
  const told = toldOnly[task.hop.to];
  const unread = lostTags(media.tags, result.tags).filter((name) => told?.test(name) !== true);
  const tags = carried === undefined ? unread : lostWith(unread, media.tags, result.tags, carried);
  const chapters = Math.max(media.chapters.length, carried?.chapters ?? 0);
  const keepsChapters = chapters === media.chapters.length && hasChapters(task, media, result);
  // FFmpeg reads the markers of a WAV as chapters.
  const marked = (media.beside ?? []).some(({ kind, parts }) => kind === "marks" && parts <= media.chapters.length);
  return [
    ...(task.options.metadata !== "strip" && covers(result) < covers(media) ? ["the cover picture"] : []),
    ...(task.options.metadata !== "strip" && tags.length > 0 ? [`tags (${tags.join(", ")})`] : []),
    ...(media.beside ?? [])
      .filter(({ kind }) => ofSound.has(kind) || task.options.metadata !== "strip")
      .filter(({ kind }) => !(kind === "marks" && marked && keepsChapters))
      .map(({ kind, parts }) => (parts > 1 ? `${besideWords[kind]} (${parts})` : besideWords[kind])),
    ...(keepsChapters || marked ? [] : [`chapters (${chapters})`]),
  ];
}

/** Names of tags whose value is missing from the result; the same value under another name counts as kept. */
export function lostTags(before: Media["tags"], after: Media["tags"]): readonly string[] {
  const others = new Set(Object.keys(after).flatMap((name) => (before[name] === undefined ? [after[name]?.trim()] : [])));
  return Object.entries(before)
    .filter(
      ([name, value]) =>
        !technical.test(name) &&
        !/^[0/]*$/.test(value.trim()) &&
        (isUnreadable(value) || (after[name]?.trim() !== value.trim() && !others.has(value.trim()))),
    )
    .map(([name]) => name);
}

/** For an excerpt, chapters are not expected to be complete. */
function hasChapters(task: HopTask, { chapters }: Media, result: Media): boolean {
  const { options } = task;
  if (speedOf(task) === 1 && (options.start !== undefined || options.duration !== undefined)) return true;
  const written = result.chapters.toSorted((one, other) => one.startSeconds - other.startSeconds);
  return chapters.every(({ title, startSeconds }, place) => {
    const found = written[place];
    // Some formats name every chapter.
    return found !== undefined && (found.title === title || title === "") && Math.abs(found.startSeconds - startSeconds) < leastShift;
  });
}

const markWords: Readonly<Record<TrackMark, string>> = {
  forced: "forced",
  hearing_impaired: "for people who do not hear well",
  visual_impaired: "for people who do not see well",
  comment: "commentary",
};

/** For sound and subtitles: dispositions that the result lacks, and whether the default track changed. */
function marksLost(tracks: readonly Stream[], result: Media): readonly string[] {
  const lost = (["audio", "subtitle"] as const).flatMap((kind) => {
    const [before, after] = [tracks.filter((track) => track.kind === kind), streamsOf(result, kind)];
    if (after.length < before.length) return [];
    const words = before.flatMap(({ marks }, place) => marks.filter((mark) => after[place]?.marks.includes(mark) !== true));
    const isOther = kind === "audio" ? heardFirst(before) !== heardFirst(after) : shownAtOnce(before) !== shownAtOnce(after);
    const beginning = kind === "audio" ? "the one that is heard first" : "shown at once, or not";
    return [...words.map((mark) => markWords[mark]), ...(isOther ? [beginning] : [])];
  });
  return [...new Set(lost)];
}

const shownAtOnce = (tracks: readonly Stream[]): number => tracks.findIndex(({ isDefault }) => isDefault);
const heardFirst = (tracks: readonly Stream[]): number => Math.max(0, shownAtOnce(tracks));

/** Track titles that the result lacks. */
function namesLost(tracks: readonly Stream[], result: Media, nameOf: (track: Stream) => string): readonly string[] {
  const place = new Map<string, number>();
  return tracks.flatMap((track) => {
    const at = place.get(track.kind) ?? 0;
    place.set(track.kind, at + 1);
    const written = streamsOf(result, track.kind)[at];
    const isNamed = written === undefined || nameOf(written) !== "" || (track.kind === "audio" && result.tags.language !== undefined);
    return nameOf(track) === "" || isNamed ? [] : [nameOf(track)];
  });
}
