/** Incoming bodies: small ones as a whole, others as a stream. */
import { FilemillError } from "#contract/errors.ts";

/**
 * Bodies up to this size are held in memory and moved with blocking calls. A few rounds through the thread pool cost several times as
 * much as the calls themselves, and together more than converting an icon.
 */
export const smallBytes = 256 * 1024;

/** Returns small bodies whole, because most files are small. Above `maxBytes`, it or the returned stream rejects with INPUT_TOO_LARGE. */
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
