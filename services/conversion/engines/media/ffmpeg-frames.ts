/** The filters of a film that is re-encoded. */
import { invalidOption } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { numberOption, stringOption } from "../shared/hop-table.ts";
import { flattening } from "./ffmpeg-alpha.ts";
import { deepFormatOf, filmColours, toneMapping } from "./ffmpeg-colour.ts";
import type { Container } from "./ffmpeg-container.ts";
import type { Stream } from "./ffmpeg-streams.ts";

/** Tone mapping, transparency and shape, then the encoder's colour format. */
export function filmFilters(task: HopTask, film: Stream, encoder: string, target: Container): string {
  const shape = shapeFilterOf(task, film) ?? (isShapeLost(film, encoder) ? evenSquares : "scale=trunc(iw/2)*2:trunc(ih/2)*2");
  // The only encoder that keeps everything.
  if (encoder === "ffv1") return [...wholePictures(film), shape].join(",");
  if (deepFormatOf(film, encoder, target.muxer) !== undefined) return [...wholePictures(film), flattening(task, film, shape)].join(",");
  const lines = numberOption(task.options, "height") ?? film.height;
  return [
    ...wholePictures(film),
    ...toneMapping(task, film),
    flattening(task, film, shape),
    ...filmColours(film, lines, target.muxer),
  ].join(",");
}

/** Deinterlaces; frames not marked as interlaced pass unchanged. */
export function wholePictures(film: Stream): readonly string[] {
  return film.mayBeInterlaced ? ["bwdif=mode=send_frame:deint=interlaced"] : [];
}

/** For formats with square pixels: scales up, so that no resolution is lost. */
export function squares(film: Stream): readonly string[] {
  return film.pixelAspect === 1 ? [] : ["scale=w='if(gt(sar,1),round(iw*sar),iw)':h='if(gt(sar,1),ih,round(ih/sar))'", "setsar=1"];
}

const evenSquares = "scale=w='trunc(if(gt(sar,1),iw*sar,iw)/2)*2':h='trunc(if(gt(sar,1),ih,ih/sar)/2)*2',setsar=1";
/** A difference that a viewer does not see, as between 704 and 720 pixels of a television picture. */
const leastShape = 0.03;

/** MPEG-2 names no pixel shape but the square one, only these shapes of a whole picture. @see ISO/IEC 13818-2, table 6-3 */
function isShapeLost({ width, height, pixelAspect, isSideways }: Stream, encoder: string): boolean {
  const shown = (width * pixelAspect) / height;
  const shape = isSideways ? 1 / shown : shown;
  const isNear = (held: number) => Math.abs(shape / held - 1) < leastShape;
  return encoder === "mpeg2video" && Math.abs(pixelAspect - 1) > leastShape && ![4 / 3, 16 / 9, 2.21].some(isNear);
}

/** Crop first, then rotate: width and height are those of the result. */
function shapeFilterOf(task: HopTask, film: Stream): string | undefined {
  const [crop, rest] = [cropFilterOf(task, film), turnFilterOf(task, film)];
  return crop === undefined ? rest : `${crop},${rest ?? "scale=trunc(iw/2)*2:trunc(ih/2)*2"}`;
}

/** @throws FilemillError INVALID_OPTION for an area outside the picture. */
function cropFilterOf({ options }: HopTask, film: Stream): string | undefined {
  const part = stringOption(options, "crop");
  if (part === undefined) return undefined;
  const [width = 0, height = 0, left = 0, top = 0] = part.split(/[x+]/).map(Number);
  const [seenWidth, seenHeight] = film.isSideways ? [film.height, film.width] : [film.width, film.height];
  if (width < 2 || height < 2 || left + width > seenWidth || top + height > seenHeight) {
    const message = `The crop area must lie within the picture, which is ${seenWidth} pixels wide and ${seenHeight} high.`;
    throw invalidOption("crop", message, `a part of ${seenWidth}x${seenHeight}`);
  }
  return `crop=${width}:${height}:${left}:${top}`;
}

function turnFilterOf(task: HopTask, film: Stream): string | undefined {
  const turns: Readonly<Record<string, string>> = { "90": "transpose=1", "180": "hflip,vflip", "270": "transpose=2" };
  const turn = turns[stringOption(task.options, "rotate") ?? "0"];
  const scale = scaleFilterOf(task, film);
  if (turn === undefined) return scale;
  return `${turn},${scale ?? "scale=trunc(iw/2)*2:trunc(ih/2)*2"}`;
}

function scaleFilterOf(task: HopTask, film: Stream): string | undefined {
  const even = (value: number) => Math.max(2, value - (value % 2));
  const [width, height] = [numberOption(task.options, "width"), numberOption(task.options, "height")];
  if (width === undefined && height === undefined) return undefined;
  if (width === undefined) return `scale=-2:${even(height ?? film.height)}`;
  if (height === undefined) return `scale=${even(width)}:-2`;
  const [w, h] = [even(width), even(height)];
  switch (stringOption(task.options, "fit")) {
    case "fill":
      return `scale=${w}:${h},setsar=1`;
    case "cover":
      return `scale=${w}:${h}:force_original_aspect_ratio=increase:force_divisible_by=2,crop=${w}:${h},setsar=1`;
    case "contain":
      return `scale=${w}:${h}:force_original_aspect_ratio=decrease:force_divisible_by=2,pad=${w}:${h}:(ow-iw)/2:(oh-ih)/2,setsar=1`;
    default:
      return `scale=${w}:${h}:force_original_aspect_ratio=decrease:force_divisible_by=2`;
  }
}
