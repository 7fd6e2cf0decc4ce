/** Joins sounds to one sound, pictures to an animation, and pictures and films to one film, with ffmpeg. */
import { FilemillError } from "#contract/errors.ts";
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { doubled } from "../media/ffmpeg-own.ts";
import { mediaBadInput, type Stream } from "../media/ffmpeg-streams.ts";
import { numberOption } from "../shared/hop-table.ts";
import { decimalIn } from "../shared/options.ts";
import { probeOf } from "../shared/tool-run.ts";
import { type Joining, joinEngineOf, named } from "./join.ts";
import { joinFilms, largestFilm, unsetSeconds } from "./join-films.ts";
import { ffmpeg, fittedTo, frameOf, inputsOf, type Part, partOf, pictureOf } from "./join-parts.ts";

const seconds = (unset: number): OptionDefinition =>
  decimalIn("seconds", [0.05, 60], "How long each picture is shown", { default: unset, unit: "s" });
const size = (name: "width" | "height", most: number): OptionDefinition => ({
  name,
  type: "integer",
  min: 16,
  max: 3840,
  unit: "px",
  description: `${name === "width" ? "Width" : "Height"} of the result; default: that of the first file, up to ${most}. Files with another aspect ratio are padded`,
});
const largestAnimation = 800;
const drawn = (most: number, unset: number) => [seconds(unset), size("width", most), size("height", most)];

async function joinMedia(joining: Joining): Promise<void> {
  const { to } = joining.task.hop;
  if (to === "wav") await joinSounds(joining);
  else if (to === "gif") await joinPictures(joining);
  else await joinFilms(joining);
}

async function joinSounds(joining: Joining): Promise<void> {
  const parts: (Part & { readonly sound: Stream })[] = [];
  for (const entry of joining.entries) {
    const { sound, ...part } = await partOf(joining, entry, "wav");
    if (sound === undefined) throw named(entry.name, new FilemillError("INVALID_INPUT", "The file has no audio."));
    parts.push({ ...part, sound });
  }
  const sounds = parts.map(({ sound }) => sound);
  const [rate, bits] = [Math.max(...sounds.map(({ sampleRate }) => sampleRate)), Math.max(...sounds.map((sound) => sound.bits))];
  const layout = layoutOf(sounds);
  for (const { entry, sound } of parts) {
    const isSame = sound.sampleRate === rate && (sound.channels > 2 || sound.channels === (layout === "mono" ? 1 : 2));
    if (!isSame) joining.remark(entry, `Fitted to ${rate} Hz, ${layout}.`);
  }
  const fitted = parts.map(({ sound }, index) => {
    const widened = sound.channels === 1 && layout === "stereo" ? `${doubled},` : "";
    return `[${index}:a:0]${widened}aresample=${rate},aformat=channel_layouts=${layout}[a${index}];`;
  });
  const graph = `${fitted.join("")}${parts.map((_, index) => `[a${index}]`).join("")}concat=n=${parts.length}:v=0:a=1[out]`;
  // Floating point may exceed full scale.
  const codec = sounds.some(({ isFloat }) => isFloat) ? (bits > 32 ? "f64" : "f32") : bits <= 16 ? "s16" : bits <= 24 ? "s24" : "s32";
  const output = ["-filter_complex", graph, "-map", "[out]", "-c:a", `pcm_${codec}le`, "-rf64", "auto", "-f", "wav", "/job/out"];
  await ffmpeg(joining, [...inputsOf(parts), ...output], parts);
}

/** @throws FilemillError INPUT_TOO_COMPLEX for surround sound beside sound of another layout, which nothing says how to mix. */
function layoutOf(sounds: readonly Stream[]): string {
  const most = Math.max(...sounds.map(({ channels }) => channels));
  if (most <= 2) return most === 1 ? "mono" : "stereo";
  const [layout = "", ...others] = new Set(sounds.map((sound) => sound.layout));
  if (layout !== "" && others.length === 0) return layout;
  throw new FilemillError("INPUT_TOO_COMPLEX", "Audio with more than two channels can only be joined with audio of the same channels.");
}

async function joinPictures(joining: Joining): Promise<void> {
  const parts: Part[] = [];
  for (const entry of joining.entries) parts.push(await pictureOf(joining, entry));
  const frame = frameOf(joining, parts, largestAnimation);
  for (const [index, part] of parts.entries()) {
    const target = ["-frames:v", "1", "-f", "image2", "-update", "1", `/job/frame-${String(index + 1).padStart(5, "0")}.png`];
    await ffmpeg(joining, [...inputsOf([part]), "-vf", fittedTo(joining, part, frame).join(","), ...target], [part]);
  }
  const each = numberOption(joining.task.options, "seconds") ?? 1;
  const palette = "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=sierra2_4a";
  const inputs = ["-framerate", String(1 / each), "-f", "image2", "-i", "/job/frame-%05d.png"];
  // The last picture has no successor to define how long it is shown.
  await ffmpeg(joining, [...inputs, "-vf", palette, "-loop", "0", "-final_delay", String(Math.round(each * 100)), "-f", "gif", "/job/out"]);
}

export const joinMediaEngine = joinEngineOf({
  id: "join-media",
  label: "FFmpeg, joining files",
  lane: "media",
  packages: ["libarchive-tools", "ffmpeg"],
  targets: {
    wav: { fidelity: "high", cost: 1000 },
    gif: { fidelity: "reduced", cost: 1000, options: drawn(largestAnimation, 1) },
    mp4: { fidelity: "high", cost: 3000, options: drawn(largestFilm, unsetSeconds) },
  },
  badInput: mediaBadInput,
  probe: probeOf("/usr/bin/ffmpeg", ["-version"], /version (\d[\d.]*)/),
  join: joinMedia,
});
