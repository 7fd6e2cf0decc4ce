/** ETags (RFC 9110 §8.8.3) and conditions based on them (§13.1). */

/** Evaluates If-None-Match by weak comparison. True if the client already has this representation. */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((candidate) => candidate.replace(/^W\//, "") === etag);
}

/** Evaluates If-Range by strong comparison. True if the range applies. A date never matches, because Last-Modified is not sent. */
export function ifRangeHolds(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === etag;
}
