/** Small mutations of good files, deterministic for a seed. */
export type Dice = {
  /** An integer from 0 up to but excluding `bound`. */
  below(bound: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
};

/** @see https://en.wikipedia.org/wiki/Xorshift */
export function createDice(seed: number): Dice {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (bound: number): number => (bound <= 1 ? 0 : next() % bound);
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}

/** Values at which programs miscount. */
const oddNumbers = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as const;
const maxHarms = 8;
const maxBytes = 2_000_000;

type Harm = (bytes: Buffer, dice: Dice) => Buffer;

const harms: readonly [Harm, ...Harm[]] = [
  (bytes, dice) => {
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8));
    return bytes;
  },
  (bytes, dice) => {
    bytes[dice.below(bytes.length)] = dice.below(256);
    return bytes;
  },
  (bytes, dice) => {
    const at = dice.below(Math.max(1, bytes.length - 4));
    if (at + 4 > bytes.length) return bytes;
    if (dice.below(2) === 0) bytes.writeUInt32BE(dice.pick(oddNumbers), at);
    else bytes.writeUInt32LE(dice.pick(oddNumbers), at);
    return bytes;
  },
  (bytes, dice) => bytes.subarray(0, 1 + dice.below(bytes.length)),
  (bytes, dice) => {
    const [from, length, to] = [dice.below(bytes.length), 1 + dice.below(512), dice.below(bytes.length)];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, from + length), bytes.subarray(to)]);
  },
  (bytes, dice) => {
    const from = dice.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + dice.below(512))]);
  },
  (bytes, dice) => {
    const at = dice.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + dice.below(2000), dice.below(256)), bytes.subarray(at)]);
  },
];

/** A copy with one to eight mutations, most of them in the first kilobyte or anywhere, never longer than 2 MB. */
export function mutated(seed: Uint8Array, dice: Dice): Buffer {
  let bytes = Buffer.from(seed);
  for (let left = 1 + dice.below(maxHarms); left > 0; left--) {
    if (bytes.length === 0) break;
    if (dice.below(2) === 0 && bytes.length > 1024)
      bytes = Buffer.concat([dice.pick(harms)(bytes.subarray(0, 1024), dice), bytes.subarray(1024)]);
    else bytes = Buffer.from(dice.pick(harms)(bytes, dice));
  }
  return bytes.subarray(0, maxBytes);
}
