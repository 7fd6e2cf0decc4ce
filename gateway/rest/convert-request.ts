import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { parseFormatId } from "#formats/index.ts";
import type { CatalogueView } from "#gateway/exchange/catalogue-view.ts";
import { callerOf, type RestContext } from "#gateway/exchange/exchange.ts";
import { type Preferences, preferencesOf } from "#gateway/http/prefer.ts";
import { parseQuery } from "#gateway/http/query.ts";
import { checkedDeliverTo } from "./deliver-to.ts";
import { reservedParameters, unknownSource } from "./hints.ts";

/**
 * Whether to answer with the result instead of the job. `no`: never. `if-quick`: only if the conversion ends while the request waits;
 * otherwise answer with the queued job. `wait`: always; if the job is queued, redirect to the URL of its future result, so that a client
 * that follows redirects gets it in one call.
 */
export type Download = "no" | "if-quick" | "wait";

/** The parameters of a conversion request, without its body. */
export type Asked = {
  /** Overrides detection. */
  readonly from: string | undefined;
  readonly download: Download;
  /** Unparsed option values by name. The route's declaration validates them. */
  readonly options: ReadonlyMap<string, string>;
  readonly idempotencyKey: string | undefined;
  readonly preferences: Preferences;
  /** Password of a protected input file. */
  readonly inputPassword: string | undefined;
  /** Password to protect the result with. */
  readonly outputPassword: string | undefined;
  /** URL to deliver the result to; already validated. */
  readonly deliverTo?: string | undefined;
};

/** Parses query and headers. Rejects with UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST or UNKNOWN_SOURCE_FORMAT. */
export function parseAsked(request: FastifyRequest, known: CatalogueView | undefined): Asked {
  if (!/^multipart\/form-data\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new FilemillError("UNSUPPORTED_MEDIA_TYPE", "Send the file as multipart/form-data with the fields `to` and `file`.");
  }
  // Compressed bodies are not accepted, so that nobody can send a compression bomb.
  if (!/^(identity)?$/i.test(request.headers["content-encoding"] ?? "")) {
    throw new FilemillError("UNSUPPORTED_MEDIA_TYPE", "Send the body without a Content-Encoding.");
  }
  const query = parseQuery(request.raw.url ?? "");
  const options = new Map([...query].filter(([name]) => !reservedParameters.has(name)));
  return {
    from: fromOf(query.get("from"), known),
    download: downloadOf(query.get("download")),
    options,
    ...parseAskedHeaders(request),
  };
}

/** A conversion request as JSON, validated by the endpoint's schema. */
export type AskedBody = {
  readonly to: string;
  readonly from?: string;
  readonly name?: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
  readonly deliverTo?: string;
};

/** Parses the body and the headers. Rejects with BAD_REQUEST, UNKNOWN_SOURCE_FORMAT or NOT_ENTITLED. */
export async function askedIn(context: RestContext, request: FastifyRequest, body: AskedBody): Promise<Asked> {
  const from = fromOf(body.from, context.views.known());
  const options = new Map(Object.entries(body.options ?? {}).map(([name, value]) => [name, String(value)]));
  const deliverTo = await checkedDeliverTo(context, callerOf(request), body.deliverTo);
  return { from, download: "no", options, ...parseAskedHeaders(request), deliverTo };
}

/** Parses the headers of a conversion request. Rejects with BAD_REQUEST. */
function parseAskedHeaders(request: FastifyRequest): Omit<Asked, "from" | "download" | "options" | "deliverTo"> {
  return {
    idempotencyKey: idempotencyKeyOf(request.raw.headersDistinct["idempotency-key"]),
    preferences: preferencesOf(request.headers.prefer),
    inputPassword: passwordOf(request, "X-Input-Password"),
    outputPassword: passwordOf(request, "X-Output-Password"),
  };
}

function fromOf(text: string | undefined, known: CatalogueView | undefined): string | undefined {
  if (text === undefined) return undefined;
  const format = parseFormatId(text);
  if (format === undefined) throw unknownSource(text, known);
  return format.id;
}

function downloadOf(text: string | undefined): Download {
  switch (text) {
    case "1":
    case "true":
      return "if-quick";
    case "wait":
      return "wait";
    case undefined:
    case "0":
    case "false":
      return "no";
    default:
      throw new FilemillError("BAD_REQUEST", "`download` must be 1, wait or 0.");
  }
}

const maxPasswordCharacters = 512;

/** Percent-encoded UTF-8 (RFC 3986), because a header cannot carry all characters. */
function passwordOf(request: FastifyRequest, name: "X-Input-Password" | "X-Output-Password"): string | undefined {
  const headers = request.raw.headersDistinct[name.toLowerCase()];
  if (headers === undefined) return undefined;
  const [header = "", ...others] = headers;
  const password = others.length === 0 ? decoded(header) : undefined;
  const length = password?.length ?? 0;
  if (password !== undefined && length > 0 && length <= maxPasswordCharacters && isOneLine(password)) return password;
  throw new FilemillError("BAD_REQUEST", `${name} must be one line of 1 to 512 characters, as percent-encoded UTF-8, sent once.`);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isOneLine(text: string): boolean {
  return !/[\0\r\n]/.test(text);
}

function idempotencyKeyOf(headers: readonly string[] | undefined): string | undefined {
  if (headers === undefined) return undefined;
  const [key = "", ...others] = headers;
  if (others.length === 0 && /^[\x20-\x7e\x80-\xff]{1,255}$/.test(key)) return key;
  throw new FilemillError("BAD_REQUEST", "Send one Idempotency-Key of 1 to 255 printable characters.");
}
