/** Files that are chains of blocks, of which each says how long it is: where the chain is broken. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";

export type Damage = {
  /** Damaged places; 0 if none was found. */
  readonly places: number;
  /** The last block is cut off, or what must be last is missing. */
  readonly isOpen: boolean;
};

/** How long a block is that starts with these bytes, and whether it ends the file; undefined if no block starts so. */
export type Block = { readonly bytes: number; readonly isLast?: boolean } | undefined;

export type Chain = {
  readonly from: number;
  /** How many bytes tell a block's length. */
  readonly headBytes: number;
  /** What `headBytes` bytes, fewer at the end of the file, say. */
  blockOf(head: Buffer): Block;
  /** Whether a block surely starts so, if zeros and the like are blocks, too. */
  isSure?(head: Buffer): boolean;
  /** Where the chain ends, if something else may follow. */
  readonly to?: number;
  /** As a share of the file: what may follow the last block and be no damage, such as tags. Default: nothing. */
  readonly mostTail?: number;
};

const windowBytes = 131_072;
/** Of blocks in a row that show where a chain goes on. */
const sure = 3;

/** Follows the chain, and finds the next block where it is broken. */
export async function chainDamage(source: ByteSource, chain: Chain): Promise<Damage> {
  const end = Math.min(chain.to ?? source.sizeBytes, source.sizeBytes);
  let places = 0;
  for (let at = chain.from; at < end; ) {
    const block = chain.blockOf(await bytesAt(source, at, Math.min(chain.headBytes, end - at)));
    if (block === undefined) {
      const next = await nextBlock(source, chain, at + 1, end);
      if (next !== undefined || end - at > source.sizeBytes * (chain.mostTail ?? 0)) places += 1;
      if (next === undefined) return { places, isOpen: false };
      at = next;
      continue;
    }
    at += block.bytes;
    if (at > end && end === source.sizeBytes) return { places, isOpen: true };
    if (block.isLast === true) break;
  }
  return { places, isOpen: false };
}

async function nextBlock(source: ByteSource, chain: Chain, from: number, end: number): Promise<number | undefined> {
  for (let start = from; start < end; start += windowBytes - chain.headBytes) {
    const bytes = await bytesAt(source, start, Math.min(windowBytes, end - start));
    for (let at = 0; at + chain.headBytes <= bytes.length; at += 1) {
      const head = bytes.subarray(at, at + chain.headBytes);
      const mayBe = chain.isSure?.(head) ?? chain.blockOf(head) !== undefined;
      if (mayBe && (await goesOn(source, chain, start + at, end))) return start + at;
    }
  }
  return undefined;
}

async function goesOn(source: ByteSource, chain: Chain, from: number, end: number): Promise<boolean> {
  let at = from;
  for (let count = 0; count < sure && at < end; count += 1) {
    const block = chain.blockOf(await bytesAt(source, at, Math.min(chain.headBytes, end - at)));
    if (block === undefined) return false;
    at += block.bytes;
  }
  return at <= end;
}
