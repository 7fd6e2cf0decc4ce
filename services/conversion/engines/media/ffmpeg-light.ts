/** HDR10: how bright a film was mastered, which encoders only write on request. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { countOf, type Fields, fieldsOf, probe, rowsOf, textOf } from "./ffmpeg-probe.ts";
import { type Media, streamsOf } from "./ffmpeg-streams.ts";

/** Corners of the display's colour space, in the order and with the letters of encoders. */
const corners = { G: "green", B: "blue", R: "red", WP: "white_point" };
const displayEntries = [...Object.values(corners).flatMap((corner) => [`${corner}_x`, `${corner}_y`]), "min_luminance", "max_luminance"];
const entries = ["side_data_type", ...displayEntries, "max_content", "max_average"].join(",");

/** Adds what the first frame of an HDR10 film declares. */
export async function withLight(session: ToolSession, media: Media, demuxer: string): Promise<Media> {
  const film = streamsOf(media, "video")[0];
  if (film?.colours.transfer !== "smpte2084") return media;
  const first = ["-select_streams", String(film.index), "-read_intervals", "%+#1"];
  const { answer } = await probe(session, demuxer, inputInside, `frame=pts:frame_side_data=${entries}`, first);
  const frame = rowsOf(fieldsOf(answer.frames).frame)[0] ?? {};
  const data = rowsOf(fieldsOf(frame.side_data_list).side_data);
  const dataOf = (type: RegExp) => data.find((each) => type.test(textOf(each.side_data_type)));
  const light = { display: dataOf(/^Mastering display/), content: dataOf(/^Content light/) };
  return light.display === undefined && light.content === undefined ? media : { ...media, light };
}

/** An encoder's arguments with the pixel format that keeps ten bits, and with the film's brightness. */
export function deepArgs(task: HopTask, { light }: Media, encoder: readonly string[], format: string | undefined): readonly string[] {
  if (format === undefined) return encoder;
  const deep = format === "" ? encoder : encoder.map((word) => (word === "yuv420p" ? format : word));
  const { display, content } = light ?? {};
  if (display === undefined && content === undefined) return deep;
  const levels = `${countOf(content?.max_content)},${countOf(content?.max_average)}`;
  switch (encoder[0]) {
    case "libx265": {
      const told = [
        ...(display === undefined ? [] : [`master-display=${displayOf(display, 50_000, 10_000)}`]),
        ...(content === undefined ? [] : [`max-cll=${levels}`]),
      ];
      return deep.map((word) => (word.startsWith("log-level=") ? [word, ...told].join(":") : word));
    }
    case "libsvtav1": {
      const told = [
        ...(display === undefined ? [] : [`mastering-display=${displayOf(display, 1, 1)}`]),
        ...(content === undefined ? [] : [`content-light=${levels}`]),
      ];
      return [...deep, "-svtav1-params", told.join(":")];
    }
    default:
      task.note("METADATA_DROPPED", "The brightness of the display on which the film was mastered (HDR10) was not carried over.");
      return deep;
  }
}

/** In the encoder's units of colours and of light. */
function displayOf(display: Fields, perPlace: number, perLight: number): string {
  const scaled = (name: string, scale: number): string => String(Number((fractionOf(textOf(display[name])) * scale).toFixed(4)));
  const places = Object.entries(corners).map(
    ([letters, name]) => `${letters}(${scaled(`${name}_x`, perPlace)},${scaled(`${name}_y`, perPlace)})`,
  );
  return `${places.join("")}L(${scaled("max_luminance", perLight)},${scaled("min_luminance", perLight)})`;
}

function fractionOf(text: string): number {
  const [above = "", below = "1"] = text.split("/");
  return countOf(countOf(above) / countOf(below));
}
