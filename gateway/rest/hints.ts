/** Errors for input that is almost right. They suggest what was probably meant. */

import { FilemillError } from "#contract/errors.ts";
import type { CatalogueView } from "#gateway/exchange/catalogue-view.ts";
import { didYouMean, nearestIds, nearestNames, suggestionsOf } from "#kit/nearest-names.ts";

/** The part of the catalogue that is available without waiting; undefined shortly after a start. */
type Known = Pick<CatalogueView, "formats" | "optionNames"> | undefined;

/** Parameters of POST /convert in the query string that are not conversion options. */
export const reservedParameters: ReadonlySet<string> = new Set(["download", "from"]);

export function unknownTarget(written: string, known: Known): FilemillError {
  const near = nearestIds(written, known?.formats.filter(({ sources }) => sources > 0) ?? []);
  const message = `There is no such target format${didYouMean(near, "; GET /api/v1/formats lists them all.")}`;
  return new FilemillError("UNSUPPORTED_TARGET", message, { details: { to: written.trim().slice(0, 32), ...suggestionsOf(near) } });
}

export function unknownSource(written: string, known: Known): FilemillError {
  const near = nearestIds(written, known?.formats.filter(({ targets }) => targets > 0) ?? []);
  const message = `\`from\` is not a known format${didYouMean(near, "; GET /api/v1/formats lists them all.")}`;
  return new FilemillError("UNKNOWN_SOURCE_FORMAT", message, { details: { from: written.slice(0, 32), ...suggestionsOf(near) } });
}

/** Error for a form field that is neither `to` nor `file`. It is often an option, because many other services accept options there. */
export function unexpectedField(name: string, known: Known): FilemillError {
  const field = name.slice(0, 64);
  if (reservedParameters.has(name) || known?.optionNames.has(name) === true) {
    const message = `\`${name}\` goes into the query string (\`?${name}=…\`), not into the form, which only has \`to\` and \`file\`.`;
    return new FilemillError("UNEXPECTED_FIELD", message, { details: { field } });
  }
  const near = nearestNames(name, ["to", "file"]);
  const message = `Send exactly the two fields \`to\` and \`file\`${didYouMean(near, "; options go into the query string.")}`;
  return new FilemillError("UNEXPECTED_FIELD", message, { details: { field, ...suggestionsOf(near) } });
}
