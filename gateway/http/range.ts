/** A part of a representation. `end` is inclusive, as in RFC 9110 §14. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The range to send. undefined: send everything, because the header is absent or malformed, uses another unit, or has several ranges, which
 * a server may ignore (RFC 9110 §14.2). "unsatisfiable": answer 416.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? "unsatisfiable" : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= sizeBytes) return "unsatisfiable";
  return { start, end: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
