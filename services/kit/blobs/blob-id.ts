import { FilemillError } from "#contract/errors.ts";

const blobId = /^[0-9a-f]{64}-[0-9a-f]{16}$/;

export function isBlobId(text: string): boolean {
  return blobId.test(text);
}

/** Returns the text unchanged. @throws FilemillError RESULT_EXPIRED for anything that is no blob id and could lead outside the store. */
export function checkBlobId(text: string): string {
  if (isBlobId(text)) return text;
  throw new FilemillError("RESULT_EXPIRED", "There is no such file.");
}
