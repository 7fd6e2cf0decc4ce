/** Damaged places of sound and film that FFmpeg passes over, above all when it copies: broken chains of blocks, lost packets, a missing end. */
import { type ByteSource, windowOf } from "#services/conversion/domain/guards/byte-source.ts";
import { animationDamage } from "./animation-damage.ts";
import type { Damage } from "./chain.ts";
import { aviDamage, flashDamage, programDamage } from "./chain-damage.ts";
import { materialDamage, matroskaDamage, realDamage } from "./element-damage.ts";
import { asfDamage, dvDamage } from "./fixed-damage.ts";
import { flacDamage } from "./flac-damage.ts";
import { frameDamage } from "./frame-damage.ts";
import { transportDamage } from "./transport-damage.ts";

const readers: Readonly<Record<string, (source: ByteSource) => Promise<Damage>>> = {
  mpegts: transportDamage,
  flv: flashDamage,
  avi: aviDamage,
  mpeg: programDamage,
  dv: dvDamage,
  asf: asfDamage,
  mxf: materialDamage,
  matroska: matroskaDamage,
  rm: realDamage,
  flac: flacDamage,
  ...frameDamage,
  ...animationDamage,
};

/** For a file of one of FFmpeg's readers. */
export async function damageOf(source: ByteSource, format: string): Promise<Damage> {
  return (await readers[format]?.(windowOf(source))) ?? { places: 0, isOpen: false };
}
