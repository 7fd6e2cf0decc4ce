/** The one line that a new engine adds. */
import type { Engine } from "../domain/engine.ts";
import { ffmpegEngine } from "./ffmpeg.ts";
import { libreofficeEngine } from "./libreoffice.ts";
import { pandocEngine } from "./pandoc.ts";
import { popplerEngine } from "./poppler.ts";
import { sharpEngine } from "./sharp.ts";

/** Every engine of this build. */
export const engines: readonly Engine[] = [sharpEngine, ffmpegEngine, libreofficeEngine, pandocEngine, popplerEngine];
