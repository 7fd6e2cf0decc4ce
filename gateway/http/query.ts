import { FilemillError } from "#contract/errors.ts";

/**
 * Parses the query string into single named values. Rejects ambiguous input with BAD_REQUEST: a repeated name, brackets, an empty name,
 * invalid percent-encoding, or more than 64 parameters.
 */
export function parseQuery(url: string): ReadonlyMap<string, string> {
  const mark = url.indexOf("?");
  const values = new Map<string, string>();
  if (mark === -1 || mark === url.length - 1) return values;
  for (const pair of url.slice(mark + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
    if (!/^[A-Za-z_][\w.-]{0,63}$/.test(name))
      throw new FilemillError("BAD_REQUEST", "A parameter's name in the query string is malformed.");
    if (values.has(name)) throw new FilemillError("BAD_REQUEST", `The query parameter "${name}" is given twice; give it once.`);
    values.set(name, value);
    if (values.size > 64) throw new FilemillError("BAD_REQUEST", "The query string has more than 64 parameters.");
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new FilemillError("BAD_REQUEST", "The query string is not valid percent-encoded UTF-8.");
  }
}
