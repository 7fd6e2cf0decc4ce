import type { FastifyReply, FastifyRequest } from "fastify";
import { type FilemillError, statusOf } from "#contract/errors.ts";
import { reasonOf } from "./error-text.ts";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

/** True if a browser requests a page. Other clients, and all requests below `/api` and `/web`, get errors as JSON. */
export function wantsPage(request: FastifyRequest): boolean {
  const isApi = /^\/(api|web)(\/|$)/.test((request.raw.url ?? "/").split("?")[0] ?? "/");
  const isLook = request.method === "GET" || request.method === "HEAD";
  return isLook && !isApi && /\btext\/html\b/i.test(request.headers.accept ?? "");
}

/** Sends an error as a page. Rejects if no page can be made, for example because the pages' own code is broken. */
export function sendRefusalPage(request: FastifyRequest, reply: FastifyReply, error: FilemillError): Promise<FastifyReply> {
  const status = statusOf(error);
  const name = status === 404 ? "missing" : status === 503 ? "away" : "wrong";
  return sendPage(request, reply, (say) => {
    const title = say.text(`page.refusal.${name}`);
    const reason = name === "missing" ? say.text("page.refusal.missingText") : reasonOf(say, error);
    return {
      status,
      title: `${title} · Filemill`,
      description: reason,
      main: html`<div class="page">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="lead">${reason}</p>
<p class="actions"><a class="button button-primary" href="/">${say.text("do.convertFile")}</a> <a class="button" href="/jobs">${say.text("do.seeJobs")}</a> <a class="button" href="/docs">${say.text("do.readDocs")}</a></p>
</div>`,
    };
  });
}
