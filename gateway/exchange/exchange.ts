import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import type { Budgets } from "#gateway/access/budget.ts";
import type { Devices } from "#gateway/access/devices.ts";
import type { DiskRoom } from "#gateway/access/disk-room.ts";
import type { Oidc } from "#gateway/access/oidc.ts";
import type { RateLimits } from "#gateway/access/rate-limit.ts";
import type { ResumableUploads } from "#gateway/access/resumable-uploads.ts";
import type { Throttle } from "#gateway/access/throttle.ts";
import type { Tickets } from "#gateway/access/tickets.ts";
import type { GatewayDeps, GatewaySettings } from "#gateway/context.ts";
import { baseUrlOf } from "#gateway/http/base-url.ts";
import type { ErrorAnswer } from "#gateway/http/error-body.ts";
import type { CatalogueViews } from "./catalogue-view.ts";
import type { Endpoint } from "./endpoint.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the access hook on all endpoints that are not public. */
    caller: Caller | null;
  }
}

/** Shared by the handlers of the REST API. */
export type RestContext = {
  readonly deps: GatewayDeps;
  readonly settings: GatewaySettings;
  readonly views: CatalogueViews;
  /** All endpoints by id, from which the API reference is generated. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly budgets: Budgets;
  readonly diskRoom: DiskRoom;
  readonly limits: RateLimits;
  readonly throttle: Throttle;
  readonly devices: Devices;
  readonly tickets: Tickets;
  readonly uploads: ResumableUploads;
  /** The identity provider for sign-in, if one is set. */
  readonly oidc: Oidc | undefined;
  /** Fires when the drain starts: no new conversions are accepted, and streams that a client can resume end. */
  readonly draining: AbortSignal;
  /** Fires when the drain's time is over: requests that still wait for a conversion are answered with 202. */
  readonly ending: AbortSignal;
};

export type Handler = (context: RestContext, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
/** By the ids of their endpoints. */
export type Handlers = Readonly<Record<string, Handler>>;

/** The caller of a request; only for endpoints that are not public. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  return request.caller;
}

export function requestBaseUrlOf(context: RestContext, request: FastifyRequest): string {
  return baseUrlOf(context.settings.PUBLIC_URL, request.raw.headersDistinct.host);
}

/** True under `/web/`, which only Filemill's own pages use. */
export function isPageRequest(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith("/web/") === true;
}

/** Prefix for URLs in an answer: that of the API the client is using. */
export function apiUrlOf(context: RestContext, request: FastifyRequest): string {
  return `${requestBaseUrlOf(context, request)}${isPageRequest(request) ? "/web/v1" : "/api/v1"}`;
}

/** Fires when the client disconnects before its answer is complete, or has disconnected already. */
export function departureOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!raw.writableFinished) gone.abort(new FilemillError("BAD_REQUEST", "The client closed the connection before the answer."));
  };
  if (raw.closed) leave();
  else raw.once("close", leave);
  return gone.signal;
}

export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return sendBytes(reply.header("content-type", "application/json"), status, JSON.stringify(body));
}

export function sendErrorAnswer(reply: FastifyReply, { status, headers, body }: ErrorAnswer): FastifyReply {
  return sendBytes(reply.headers(headers), status, body);
}

/** Sends bytes, because Fastify adds a charset to a string's media type, and JSON has none. */
function sendBytes(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).send(Buffer.from(body));
}
