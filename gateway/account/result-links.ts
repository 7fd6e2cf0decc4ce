import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import { createLinkTokens } from "#gateway/access/result-links.ts";
import { callerOf, type Handlers, type RestContext, requestBaseUrlOf, sendJson } from "#gateway/exchange/exchange.ts";
import { jobIdOf } from "#gateway/rest/jobs.ts";
import type { ResultLink } from "#gen/filemill/job/v1/job_pb.ts";

export const resultLinkHandlers = {
  /** POST /web/v1/jobs/{id}/links. */
  async createResultLink(context, request, reply) {
    if (context.settings.LINKS === "off") throw new FilemillError("NOT_FOUND", "Share links are disabled on this server.");
    const { lifeSeconds, maxDownloads = 0 } = request.body as { lifeSeconds: number; maxDownloads?: number };
    const job = ownJobOf(request);
    const { link } = await context.deps.jobs.createResultLink({ ...job, lifeSeconds, maxDownloads }).catch(throwKnown);
    return sendJson(reply, 201, { link: link === undefined ? null : viewOf(context, request, link) });
  },
  /** GET /web/v1/jobs/{id}/links, oldest first. */
  async listResultLinks(context, request, reply) {
    const { links } = await context.deps.jobs.listResultLinks(ownJobOf(request));
    return sendJson(reply, 200, { links: links.map((link) => viewOf(context, request, link)) });
  },
  /** DELETE /web/v1/jobs/{id}/links/{link}. */
  async revokeResultLink({ deps }, request, reply) {
    const { link } = request.params as { link: string };
    await deps.jobs.revokeResultLink({ ...ownJobOf(request), linkId: link });
    return reply.code(204).send();
  },
} satisfies Handlers;

export function resultLinkJsonOf({ id, expiresAt, maxDownloads, downloads }: ResultLink, url: string) {
  return { id, url, expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt).toISOString(), maxDownloads, downloads };
}

function viewOf(context: RestContext, request: FastifyRequest, link: ResultLink) {
  const token = createLinkTokens(context.deps).tokenOf({ ...ownJobOf(request), linkId: link.id });
  return resultLinkJsonOf(link, `${requestBaseUrlOf(context, request)}/share/${token}`);
}

function ownJobOf(request: FastifyRequest): { readonly accountId: string; readonly jobId: string } {
  return { accountId: callerOf(request).account.id, jobId: jobIdOf(request) };
}
