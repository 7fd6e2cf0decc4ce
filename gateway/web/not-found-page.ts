import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

/** Does a person's browser ask for a page here? Programs get their errors as JSON. */
export function wantsPage(request: FastifyRequest): boolean {
  const isApi = /^\/(api|web|auth|assets)(\/|$)/.test((request.raw.url ?? "/").split("?")[0] ?? "/");
  return request.method === "GET" && !isApi && /\btext\/html\b/i.test(request.headers.accept ?? "");
}

export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendPage(request, reply, {
    status: 404,
    title: "Not found · Filemill",
    description: "There is nothing at this address.",
    main: html`<div class="page">
<p class="eyebrow">404</p>
<h1>There is nothing here</h1>
<p class="lead">The address may be mistyped, or what was here is gone. Results are removed when their time is over.</p>
<p class="actions"><a class="button button-primary" href="/">Convert a file</a> <a class="button" href="/jobs">See your jobs</a> <a class="button" href="/docs">Read the docs</a></p>
</div>`,
  });
}
