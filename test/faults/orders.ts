/** The clients' requests: small files of several lanes, good and damaged. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import type { Dice } from "#test/fuzz/mutate.ts";

export type Order = {
  readonly name: string;
  readonly to: string;
  readonly file: Buffer<ArrayBuffer>;
  readonly isGood: boolean;
};

export type Menu = (dice: Dice) => Order;

const corpus = new URL("../corpus/typical/", import.meta.url);

async function sample(path: string, to: string): Promise<Order> {
  const name = path.split("/").at(-1) ?? "";
  return { name, to, file: Buffer.from(await readFile(new URL(path, corpus))), isGood: true };
}

export async function openMenu(): Promise<Menu> {
  const icon = Buffer.from(
    await sharp({ create: { width: 32, height: 32, channels: 3, background: "teal" } })
      .png()
      .toBuffer(),
  );
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const photo = Buffer.from(
    await sharp({ create: { width: 900, height: 700, channels: 3, background: "red", noise } })
      .jpeg()
      .toBuffer(),
  );
  const [text, page, sound, film] = await Promise.all([
    sample("document/typical.md", "html"),
    sample("document/typical.pdf", "png"),
    sample("audio/typical.wav", "mp3"),
    sample("video/typical.mp4", "webm"),
  ]);
  // A unique name, since equal uploads would not show whose result it is.
  const own = (order: Order, dice: Dice): Order => ({ ...order, name: `n${dice.below(1_000_000)}-${order.name}` });
  const picture: Order = { name: "icon.png", to: "webp", file: icon, isGood: true };
  const slow: Order = { name: "photo.jpg", to: "avif", file: photo, isGood: true };
  const broken: Order = { name: "broken.png", to: "webp", file: icon.subarray(0, 40), isGood: false };
  const all = [picture, picture, picture, picture, slow, text, text, page, sound, film, broken] as const;
  return (dice) => own(dice.pick(all), dice);
}
