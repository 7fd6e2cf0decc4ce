/** The client's preferences (RFC 7240). Unknown preferences are ignored, as the standard requires. */
export type Preferences = {
  readonly respondAsync: boolean;
  /** Value of `wait`, in ms. */
  readonly waitMs: number | undefined;
};

/** Parses all Prefer headers. If a preference is repeated, the first one counts. A malformed `wait` is ignored. */
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
