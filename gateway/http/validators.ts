/** Entity tags (RFC 9110 §8.8.3) and the conditions built on them (§13.1). */

/** If-None-Match by weak comparison: true when the client already has this representation. */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((candidate) => candidate.replace(/^W\//, "") === etag);
}

/** If-Range by strong comparison: true when the range may be applied. A date never matches, as no Last-Modified is sent. */
export function ifRangeHolds(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}
