import type { ErrorCode } from "#contract/errors.ts";
import type { RatePolicy } from "#gateway/access/rate-limit.ts";
import type { Ticket } from "#gateway/access/tickets.ts";

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A schema of `#/components/schemas`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
};

/** A successful answer of an endpoint. Errors are listed separately, by code. */
export type Answer = {
  readonly description: string;
  readonly mediaType?: string;
  readonly schema?: Schema;
  /** Descriptions by header name. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An endpoint as data. The route, its documentation and its 405 answer are derived from it. */
export type Endpoint = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Has parameters in braces, as in OpenAPI. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Who may call it. "public": anybody. "session": signed-in users. "operator": signed-in operators. Otherwise a key is needed, and this
   * rate policy counts the requests of its account.
   */
  readonly access: "public" | "session" | "operator" | RatePolicy;
  /** The scope that a key needs, if it is not named like the rate policy. */
  readonly scope?: RatePolicy;
  /** Also mounted under `/web/v1` for Filemill's own pages, whose users have a session or are guests. */
  readonly forPages?: true;
  /** The ticket in the path identifies the caller, not a header (decision 65). */
  readonly byTicket?: Ticket["kind"];
  /** Also answers HEAD, like GET without the body. */
  readonly head?: boolean;
  /** Not in the API reference: for operators and browsers only. */
  readonly unlisted?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly body?: {
    readonly mediaType: string;
    readonly schema: Schema;
    readonly encoding?: Schema;
    /** Raises the size limit for JSON that may be longer than usual. */
    readonly maxBytes?: number;
  };
  readonly answers: Readonly<Record<number, Answer>>;
  readonly errors: readonly ErrorCode[];
};

export function defineEndpoints<const Table extends Readonly<Record<string, Endpoint>>>(table: Table): Table {
  return table;
}

/** The methods of an endpoint, for Allow. */
export function methodsOf(endpoint: Endpoint): string[] {
  return endpoint.head === true ? [endpoint.method, "HEAD"] : [endpoint.method];
}

/** Error codes of every endpoint that needs a key. */
export const accessErrors = ["MISSING_API_KEY", "INVALID_API_KEY", "API_KEY_REVOKED", "NOT_ENTITLED", "RATE_LIMITED"] as const;
/** Error codes of every endpoint. */
export const generalErrors = ["BAD_REQUEST", "INTERNAL", "UNAVAILABLE"] as const;
