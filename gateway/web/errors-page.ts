import { errorTable } from "#contract/errors.ts";
import type { Handler } from "#gateway/exchange/exchange.ts";
import { docsFrame } from "./docs-frame.ts";
import { html, prose } from "./html.ts";
import { sendPage } from "./shell.ts";

const meanings: Readonly<Record<number, string>> = {
  400: "Malformed request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Too slow",
  409: "Wrong state",
  410: "Expired",
  413: "Too large",
  415: "Unsupported media type or file format",
  422: "The file cannot be converted",
  429: "Too many requests or jobs",
  500: "Server error",
  503: "Temporarily unavailable",
  507: "No room left",
};

/** GET /docs/errors: every code of the error table, with an anchor of the same name. */
export const errorsPageHandler: Handler = async (_context, request, reply) => {
  const groups = [...Map.groupBy(Object.entries(errorTable), ([, { http }]) => http)].sort(([a], [b]) => a - b);
  const sections = groups.map(
    ([status, rows]) => html`<section class="errors" aria-labelledby="status-${status}">
<h2 id="status-${status}"><span class="status-number">${status}</span> ${meanings[status] ?? ""}</h2>
<dl>${rows.map(([code, { when }]) => html`<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a></dt><dd>${prose(sentence(when))}</dd></div>`)}</dl>
</section>
`,
  );
  const main = docsFrame(
    "/docs/errors",
    groups.map(([status]) => ({ id: `status-${status}`, label: `${status} ${meanings[status] ?? ""}` })),
    html`<h1>Errors</h1>
<p class="lead">Every error has a stable code, a message that says what to do, and the id of the request.</p>
<pre tabindex="0"><code>{
  "error": {
    "code": "INPUT_TOO_LARGE",
    "message": "…",
    "requestId": "…",
    "details": { "limitMb": 25, "limitedBy": "plan" }
  }
}</code></pre>
<p>With <code>Accept: application/problem+json</code>, errors have the format of RFC 9457, and <code>type</code> links to this page. The header <code>X-Error</code> also contains the code and the message.</p>
${sections}`,
  );
  return sendPage(request, reply, {
    title: "Errors · Filemill",
    description: "Every error code and what to do.",
    place: "/docs",
    script: "docs",
    main,
  });
};

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
