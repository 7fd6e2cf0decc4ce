/** Fetches a file from a URL given by an untrusted user. */
import { lookup as resolveHost } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import ipaddr from "ipaddr.js";
import { FilemillError } from "#contract/errors.ts";
import { isPublicAddress, publicLookup } from "#kit/public-address.ts";

export type RemoteFileRules = {
  /** Also allow private addresses and any port. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** Resolves a host name; default: the system's resolver. */
  readonly resolve?: typeof resolveHost;
};

export type RemoteFile = {
  readonly name: string;
  /** Content-Length of the answer, or 0 if unknown. */
  readonly leastBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
};

const maxLength = 2000;
const maxRedirects = 5;
/** Timeout for the answer's headers, and between two chunks of the body. */
const silenceMs = 20_000;

/**
 * Sends the request; the body is read by the consumer of `bytes`. Connects to the exact address that was checked, for redirects too, so
 * that DNS cannot change it in between.
 *
 * @throws FilemillError BAD_REQUEST (`details.field` = `url`) if the URL is not allowed or returns no file
 */
export async function openRemoteFile(text: string, rules: RemoteFileRules): Promise<RemoteFile> {
  let url = parseUrl(text, rules);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await ask(url, rules);
    const status = answer.statusCode ?? 0;
    const { location } = answer.headers;
    if (status === 200) return fileOf(url, answer);
    answer.destroy();
    if (status < 300 || status >= 400 || location === undefined) throw unfetched(`its server answered ${status}`);
    url = parseUrl(URL.parse(location, url.href)?.href ?? "", rules);
  }
  throw unfetched("it redirects too many times");
}

function parseUrl(text: string, { allowPrivate }: RemoteFileRules): URL {
  const url = text.length > maxLength ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refused(`an absolute http or https URL of up to ${maxLength} characters`);
  if (url.username !== "" || url.password !== "") throw refused("a URL without user and password");
  if (allowPrivate) return url;
  // The URL parser has normalised every notation of an IPv4 address to dotted decimal.
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw refused("a public address");
  // Empty for the scheme's default port, 443 or 80.
  if (url.port !== "") throw refused("on the port of its scheme");
  return url;
}

function ask(url: URL, { allowPrivate, signal, resolve = resolveHost }: RemoteFileRules): Promise<IncomingMessage> {
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const lookup = allowPrivate ? undefined : publicLookup(resolve);
  const headers = { "user-agent": "Filemill", accept: "*/*", "accept-encoding": "identity" };
  const options = { headers, agent: false as const, signal, timeout: silenceMs, ...(lookup === undefined ? {} : { lookup }) };
  return new Promise((answered, failed) => {
    const request = open(url, options, answered);
    request.once("timeout", () => request.destroy(new Error("silent")));
    request.once("error", (cause) => failed(signal.aborted ? signal.reason : unfetched("its server cannot be reached", cause)));
    request.end();
  });
}

function fileOf(url: URL, answer: IncomingMessage): RemoteFile {
  if (!/^(identity)?$/i.test(answer.headers["content-encoding"] ?? "")) {
    answer.destroy();
    throw unfetched("its server compresses it, although it was asked not to");
  }
  answer.setTimeout(silenceMs, () => answer.destroy(unfetched("its server stopped sending")));
  const leastBytes = Number(answer.headers["content-length"] ?? 0);
  return { name: nameOf(url, answer.headers["content-disposition"]), leastBytes, bytes: answer };
}

/** The name given by the server, otherwise the last segment of the path. */
function nameOf({ pathname }: URL, disposition = ""): string {
  const said = /filename="([^"]{1,255})"/i.exec(disposition)?.[1] ?? /filename=([^;"\s]{1,255})/i.exec(disposition)?.[1];
  return said ?? (decoded(pathname).split("/").at(-1) || "file");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(wanted: string): FilemillError {
  return new FilemillError("BAD_REQUEST", `The file's url must be ${wanted}.`, { details: { field: "url" } });
}

export function unfetched(why: string, cause?: unknown): FilemillError {
  return new FilemillError("BAD_REQUEST", `The file could not be fetched: ${why}.`, { details: { field: "url" }, cause });
}
