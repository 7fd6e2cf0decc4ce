import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { callerOf, type Handlers, sendJson } from "#gateway/exchange/exchange.ts";
import { keyJsonOf, type ScopeName, scopeNames } from "./views.ts";

const refOf = (request: FastifyRequest) => ({ ref: { case: "id", value: callerOf(request).account.id } }) as const;

export const keyHandlers = {
  /** GET /web/v1/keys, newest first. */
  async listKeys({ deps }, request, reply) {
    const { keys } = await deps.accounts.listKeys({ account: refOf(request) });
    return sendJson(reply, 200, { keys: keys.toReversed().map(keyJsonOf) });
  },
  /** POST /web/v1/keys. */
  async createKey({ deps }, request, reply) {
    const wanted = request.body as { name: string; scopes?: ScopeName[]; expiresAt?: string | null };
    const expiresAt = expiryOf(wanted.expiresAt ?? undefined);
    const { key, secret } = await deps.accounts.createKey({
      account: refOf(request),
      name: wanted.name,
      scopes: (wanted.scopes ?? []).map((name) => scopeNames[name]),
      ...(expiresAt === undefined ? {} : { expiresAt: timestampFromDate(expiresAt) }),
      needsApiAccess: true,
    });
    return sendJson(reply, 201, { key: key === undefined ? null : keyJsonOf(key), secret });
  },
  /** PATCH /web/v1/keys/{id}. */
  async renameKey({ deps }, request, reply) {
    const { name } = request.body as { name: string };
    const { key } = await deps.accounts.renameKey({ keyId: keyIdOf(request), accountId: callerOf(request).account.id, name });
    return sendJson(reply, 200, { key: key === undefined ? null : keyJsonOf(key) });
  },
  /** DELETE /web/v1/keys/{id}. */
  async revokeKey({ deps }, request, reply) {
    await deps.accounts.revokeKey({ keyId: keyIdOf(request), accountId: callerOf(request).account.id });
    return reply.code(204).send();
  },
} satisfies Handlers;

function keyIdOf(request: FastifyRequest): string {
  const { id } = request.params as { id: string };
  return id;
}

/** Accepts a timestamp (RFC 3339), or a date, which expires at the end of that day in UTC. */
function expiryOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59.999Z` : text);
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new FilemillError("BAD_REQUEST", "Give `expiresAt` as a date or a timestamp, such as 2027-01-31 or 2027-01-31T12:00:00Z.", {
    details: { field: "expiresAt" },
  });
}
