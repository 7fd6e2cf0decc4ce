/** A body that comes in: small ones whole, others as a stream. */
import { FilemillError } from "#contract/errors.ts";

/**
 * Up to here a body is held in memory and moved with blocking calls: a few turns through the thread pool cost several times the
 * call itself, and together more than the conversion of an icon.
 */
export const smallBytes = 256 * 1024;

/** Most files are small: those are given back as they are. Rejects with INPUT_TOO_LARGE past `maxBytes`, as reading the rest does. */
export async function bodyOf(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | AsyncGenerator<Uint8Array>> {
  const rest = bounded(source, maxBytes);
  const first: Uint8Array[] = [];
  for (let sizeBytes = 0; sizeBytes <= smallBytes; ) {
    const next = await rest.next();
    if (next.done === true) return joined(first);
    sizeBytes += next.value.length;
    first.push(next.value);
  }
  return together(first, rest);
}

async function* bounded(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of source) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new FilemillError("INPUT_TOO_LARGE", "The file is too large.");
    yield chunk;
  }
}

async function* together(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first.splice(0);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
}
