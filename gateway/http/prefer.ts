/** What a client prefers of our answer (RFC 7240); unknown preferences are ignored, as the standard asks. */
export type Preferences = {
  readonly respondAsync: boolean;
  /** `wait`, in ms. */
  readonly waitMs: number | undefined;
};

/** Reads every Prefer header. Of a preference given twice the first counts; a malformed `wait` is ignored. */
export function preferencesOf(header: string | string[] | undefined): Preferences {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  let respondAsync = false;
  let waitMs: number | undefined;
  for (const preference of text.split(",")) {
    const [token = ""] = preference.split(";");
    const [name = "", value = ""] = token.split("=", 2).map((side) => side.trim());
    if (name.toLowerCase() === "respond-async") respondAsync = true;
    const seconds = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    if (name.toLowerCase() === "wait" && seconds !== undefined) waitMs ??= Number(seconds) * 1000;
  }
  return { respondAsync, waitMs };
}
