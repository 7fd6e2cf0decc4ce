/** All hostile files, by attack class. */

import { archiveAttacks } from "./archive-attacks.ts";
import type { Attack } from "./attack.ts";
import { browserAttacks } from "./browser-attacks.ts";
import { dataAttacks } from "./data-attacks.ts";
import { deviceAttacks } from "./device-attacks.ts";
import { type DoorAttack, doorAttacks } from "./door-attacks.ts";
import { drawingAttacks } from "./drawing-attacks.ts";
import { hiddenSizeAttacks } from "./hidden-size-attacks.ts";
import { imagemagickAttacks } from "./imagemagick-attacks.ts";
import { mailAttacks } from "./mail-attacks.ts";
import { mapAndBookAttacks } from "./map-and-book-attacks.ts";
import { markupAttacks } from "./markup-attacks.ts";
import { mediaAttacks } from "./media-attacks.ts";
import { modelAttacks } from "./model-attacks.ts";
import { officeAttacks } from "./office-attacks.ts";
import { ownFormatAttacks } from "./own-format-attacks.ts";
import { packageAttacks } from "./package-attacks.ts";
import { pageDoorAttacks } from "./page-door-attacks.ts";
import { pageToolAttacks } from "./page-tool-attacks.ts";
import { pdfAttacks } from "./pdf-attacks.ts";
import { pictureAttacks } from "./picture-attacks.ts";
import { pictureToolAttacks } from "./picture-tool-attacks.ts";
import { textToolAttacks } from "./text-tool-attacks.ts";
import { toolAttacks } from "./tool-attacks.ts";

export const attacks: readonly Attack[] = [
  ...pictureAttacks,
  ...pdfAttacks,
  ...mediaAttacks,
  ...officeAttacks,
  ...markupAttacks,
  ...ownFormatAttacks,
  ...packageAttacks,
  ...toolAttacks,
  ...archiveAttacks,
  ...dataAttacks,
  ...imagemagickAttacks,
  ...pictureToolAttacks,
  ...pageToolAttacks,
  ...textToolAttacks,
  ...mailAttacks,
  ...hiddenSizeAttacks,
  ...deviceAttacks,
  ...drawingAttacks,
  ...modelAttacks,
  ...mapAndBookAttacks,
  ...browserAttacks,
];

/** Attacks that need no file of their own. */
export const attacksOnTheDoor: readonly DoorAttack[] = [...doorAttacks, ...pageDoorAttacks];
