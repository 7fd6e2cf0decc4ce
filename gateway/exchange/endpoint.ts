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

/** One good answer of an endpoint; errors are listed by code beside it. */
export type Answer = {
  readonly description: string;
  readonly mediaType?: string;
  readonly schema?: Schema;
  /** Header names with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An endpoint as data: the registered route, its documentation and its 405 all follow from this. */
export type Endpoint = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** "public"; "session": somebody who signed in; "operator": one of them who runs this deployment; or the rate policy that counts the requests of a key's account. */
  readonly access: "public" | "session" | "operator" | RatePolicy;
  /** The scope that a key needs, where that is not the one named like the rate policy. */
  readonly scope?: RatePolicy;
  /** Mounted a second time under `/web/v1`, for Filemill's own pages, whose users sign in or are guests. */
  readonly forPages?: true;
  /** Who calls is told by the ticket in the path, not by a header (decision 65). */
  readonly byTicket?: Ticket["kind"];
  /** HEAD is answered like GET without the body. */
  readonly head?: boolean;
  /** Left out of the API reference: for operators and browsers. */
  readonly unlisted?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly body?: {
    readonly mediaType: string;
    readonly schema: Schema;
    readonly encoding?: Schema;
    /** Of JSON that may be longer than usual. */
    readonly maxBytes?: number;
  };
  readonly answers: Readonly<Record<number, Answer>>;
  readonly errors: readonly ErrorCode[];
};

export function defineEndpoints<const Table extends Readonly<Record<string, Endpoint>>>(table: Table): Table {
  return table;
}

/** Every method that a path takes, for Allow. */
export function methodsOf(endpoint: Endpoint): string[] {
  return endpoint.head === true ? [endpoint.method, "HEAD"] : [endpoint.method];
}

/** Codes that any endpoint behind a key may answer. */
export const accessErrors = ["MISSING_API_KEY", "INVALID_API_KEY", "API_KEY_REVOKED", "NOT_ENTITLED", "RATE_LIMITED"] as const;
/** Codes that any endpoint may answer. */
export const generalErrors = ["BAD_REQUEST", "INTERNAL", "UNAVAILABLE"] as const;
