import type { FastifyReply, FastifyRequest } from "fastify";
import { type FilemillError, statusOf } from "#kit/errors.ts";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

/** Does a person's browser ask for a page here? Programs get their errors as JSON, and what lies under `/api` is theirs. */
export function wantsPage(request: FastifyRequest): boolean {
  const isApi = /^\/(api|web)(\/|$)/.test((request.raw.url ?? "/").split("?")[0] ?? "/");
  const isLook = request.method === "GET" || request.method === "HEAD";
  return isLook && !isApi && /\btext\/html\b/i.test(request.headers.accept ?? "");
}

/** A refusal as a page. Rejects when no page can be made, for example because the pages' own code is broken. */
export function sendRefusalPage(request: FastifyRequest, reply: FastifyReply, error: FilemillError): Promise<FastifyReply> {
  const status = statusOf(error);
  const isMissing = status === 404;
  const title = isMissing ? "Page not found" : status === 503 ? "Not available right now" : "Something went wrong";
  const reason = isMissing
    ? "The address may be mistyped, or the page no longer exists. Results are deleted when they expire."
    : error.message;
  return sendPage(request, reply, {
    status,
    title: `${title} · Filemill`,
    description: reason,
    main: html`<div class="page">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="lead">${reason}</p>
<p class="actions"><a class="button button-primary" href="/">Convert a file</a> <a class="button" href="/jobs">See your jobs</a> <a class="button" href="/docs">Read the docs</a></p>
</div>`,
  });
}
