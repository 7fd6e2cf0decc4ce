/** Agents' files are transferred with tickets, so that their bytes never pass through the model. */
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import type { Ticket, Tickets } from "#gateway/access/tickets.ts";
import { callerOf, type Handlers, type RestContext } from "#gateway/exchange/exchange.ts";
import { boundedFileName } from "#gateway/http/file-name.ts";
import { answerConversion } from "#gateway/rest/convert.ts";
import { sendResult } from "#gateway/rest/jobs.ts";
import { storeBody } from "#gateway/rest/stored-bytes.ts";
import { ceilingOf } from "#gateway/rest/submission.ts";
import { checkContentLength } from "#gateway/rest/upload.ts";

/** The ticket in the path. Throws NOT_FOUND if it is not one of this kind. */
export function ticketOf<Kind extends Ticket["kind"]>(
  { tickets }: Pick<RestContext, "tickets">,
  request: FastifyRequest,
  kind: Kind,
): ReturnType<Tickets["open"]> & { ticket: Extract<Ticket, { kind: Kind }> } {
  return tickets.open(kind, pathPartOf(request, "ticket"));
}

function pathPartOf({ params }: FastifyRequest, name: string): string {
  const given: Record<string, unknown> = { ...(typeof params === "object" ? params : {}) };
  return String(given[name] ?? "");
}

export const ticketHandlers = {
  /** PUT /mcp/uploads/{ticket}/{name}. The upload starts the conversion, so that every stored file belongs to a job. */
  async ticketUpload(context, request, reply) {
    const { ticket } = ticketOf(context, request, "upload");
    const ceiling = ceilingOf(context, callerOf(request), ticket.from, ticket.to);
    const asked = {
      from: ticket.from,
      download: "no",
      options: new Map(Object.entries(ticket.options)),
      idempotencyKey: ticket.nonce,
      preferences: { respondAsync: false, waitMs: undefined },
      inputPassword: undefined,
      outputPassword: undefined,
      deliverTo: ticket.deliverTo,
    } as const;
    const leastBytes = checkContentLength(request, ceiling);
    return answerConversion(context, request, reply, asked, leastBytes, async ({ passage, signal }) => {
      const blob = await storeBody(request, reply, { blobs: context.deps.blobs, ceiling, passage, signal });
      return { to: ticket.to, blob, fileName: boundedFileName(pathPartOf(request, "name")) };
    });
  },
  /** GET and HEAD /mcp/downloads/{ticket}. */
  async ticketDownload(context, request, reply) {
    const { ticket } = ticketOf(context, request, "download");
    const { job } = await context.deps.jobs.getJob({ accountId: callerOf(request).account.id, jobId: ticket.jobId });
    if (job === undefined) throw new FilemillError("JOB_NOT_FOUND", "There is no such job.");
    return sendResult(context, request, reply, job, false);
  },
} satisfies Handlers;
