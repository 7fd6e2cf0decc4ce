import { FilemillError } from "#kit/errors.ts";
import { isPublicAddress } from "./address-policy.ts";

const maxLength = 2000;

/**
 * The address of a receiver as it is stored. Names are resolved, and what they resolve to is checked, at each attempt.
 *
 * @param allowPrivate - Also http, and addresses of this network.
 * @throws FilemillError BAD_REQUEST (`details.field` = `url`)
 */
export function parseReceiverUrl(text: string, allowPrivate: boolean): string {
  const url = text.length > maxLength ? null : URL.parse(text);
  if (url === null) throw refused(`an absolute URL of up to ${maxLength} characters`);
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) throw refused("an https URL");
  if (url.username !== "" || url.password !== "") throw refused("a URL without user and password");
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLiteral = /^[\d.]+$|:/.test(literal);
  if (!allowPrivate && isLiteral && !isPublicAddress(literal)) throw refused("a public address");
  url.hash = "";
  return url.href;
}

function refused(wanted: string): FilemillError {
  return new FilemillError("BAD_REQUEST", `The webhook's url must be ${wanted}.`, { details: { field: "url" } });
}
