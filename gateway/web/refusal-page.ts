import type { FastifyReply, FastifyRequest } from "fastify";
import { errorTable, type FilemillError } from "#kit/errors.ts";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

/** Does a person's browser ask for a page here? Programs get their errors as JSON. */
export function wantsPage(request: FastifyRequest): boolean {
  const isApi = /^\/(api|web|auth|assets)(\/|$)/.test((request.raw.url ?? "/").split("?")[0] ?? "/");
  return request.method === "GET" && !isApi && /\btext\/html\b/i.test(request.headers.accept ?? "");
}

/** A refusal as a page. Rejects when no page can be made, for example because the pages' own code is broken. */
export function sendRefusalPage(request: FastifyRequest, reply: FastifyReply, error: FilemillError): Promise<FastifyReply> {
  const status = errorTable[error.code].http;
  const isMissing = status === 404;
  const title = isMissing ? "There is nothing here" : status === 503 ? "Not just now" : "This did not work";
  const reason = isMissing
    ? "The address may be mistyped, or what was here is gone. Results are removed when their time is over."
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
