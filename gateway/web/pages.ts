import { readFileSync } from "node:fs";
import type { FastifyReply } from "fastify";
import { errorCodesOf } from "#gateway/openapi/document.ts";
import { type Endpoint, methodsOf } from "#gateway/rest/endpoint.ts";
import { endpoints } from "#gateway/rest/endpoints.ts";
import { type Handler, type RestContext, requestBaseUrlOf } from "#gateway/rest/exchange.ts";
import { errorTable } from "#kit/errors.ts";
import { type Html, html, prose } from "./html.ts";

const PAGE_POLICY = "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** GET /: how to call the API, with the address the reader used. */
export function homeHandler(context: RestContext): Handler {
  return async (request, reply) => {
    const { routes, formats } = await countsOf(context);
    return sendPage(reply, "Filemill", homePage(requestBaseUrlOf(context, request), routes, formats));
  };
}

/** GET /docs: endpoints and errors, from the same declarations as the OpenAPI document. */
export function docsHandler(): Handler {
  const page = docsPage();
  return async (_request, reply) => sendPage(reply, "Filemill API", page);
}

/** GET /style.css. */
export function stylesheetHandler(): Handler {
  const css = readFileSync(new URL("./style.css", import.meta.url), "utf8");
  return async (_request, reply) =>
    reply.headers({ "content-type": "text/css; charset=utf-8", "cache-control": "public, max-age=3600" }).send(css);
}

async function countsOf(context: RestContext): Promise<{ routes: number; formats: number }> {
  try {
    const view = await context.views.current();
    return view.counts;
  } catch {
    // The page explains the API also while the catalogue cannot be reached.
    return { routes: 0, formats: 0 };
  }
}

function sendPage(reply: FastifyReply, title: string, main: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><nav aria-label="Main"><a class="brand" href="/">Filemill</a> <a href="/docs">API reference</a> <a href="/api/v1/formats">Formats</a></nav></header>
<main id="main">
${main}
</main>
<footer><p>Filemill converts files on this machine. Nothing leaves it.</p></footer>
</body>
</html>
`;
  reply.headers({ "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY, "cache-control": "no-cache" });
  return reply.send(page.text);
}

function homePage(baseUrl: string, routes: number, formats: number): Html {
  const offer =
    routes === 0
      ? html`The engines are still starting; reload in a moment.`
      : html`This deployment knows <strong>${formats}</strong> formats and <strong>${routes}</strong> conversions between them.`;
  return html`<h1>One call converts a file</h1>
<p class="lead">Send the file and say what you want. The answer is the converted file, or a job to follow. ${offer}</p>

<section aria-labelledby="convert">
<h2 id="convert">Convert</h2>
<p>Put your API key into <code>FILEMILL_KEY</code> first.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $FILEMILL_KEY" \\
  -F to=webp -F file=@photo.jpg \\
  -o photo.webp "${baseUrl}/api/v1/convert?download=1"</code></pre>
<p>Without <code>download=1</code> the answer is the job as JSON: how long it took, what was lost on the way, where the result is.</p>
</section>

<section aria-labelledby="options">
<h2 id="options">Say how</h2>
<p>Options ride in the query string. Each conversion lists its own under <a href="/api/v1/formats"><code>/api/v1/formats</code></a>.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $FILEMILL_KEY" \\
  -F to=jpg -F file=@drawing.png \\
  "${baseUrl}/api/v1/convert?quality=80&amp;width=640"</code></pre>
</section>

<section aria-labelledby="later">
<h2 id="later">Follow what takes longer</h2>
<p>A long conversion answers <code>202</code> with a <code>Location</code>. Ask there until it is done, hold the question open with
<code>Prefer: wait=30</code>, or listen to <code>/events</code>.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $FILEMILL_KEY" -H "Prefer: respond-async" \\
  -F to=webm -F file=@clip.mp4 ${baseUrl}/api/v1/convert
curl -H "Authorization: Bearer $FILEMILL_KEY" -H "Prefer: wait=30" \\
  ${baseUrl}/api/v1/jobs/JOB_ID</code></pre>
</section>
<p>Every endpoint and every error is in the <a href="/docs">API reference</a>; programs read <a href="/api/v1/openapi.json">OpenAPI</a>.</p>`;
}

function docsPage(): Html {
  const listed = Object.values<Endpoint>(endpoints).filter((endpoint) => endpoint.unlisted !== true);
  const errors = Object.entries(errorTable).map(
    ([code, { http, when }]) => html`<tr id="${code}"><td>${http}</td><td><code>${code}</code></td><td>${prose(when)}</td></tr>
`,
  );
  return html`<h1>API reference</h1>
<p class="lead">Send <code>Authorization: Bearer &lt;key&gt;</code> where a key is asked for. For programs: <a href="/api/v1/openapi.json">openapi.json</a>.</p>
${listed.map(endpointSection)}
<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
<p>Always <code>{ "error": { "code", "message", "requestId", "details"? } }</code>; with <code>Accept: application/problem+json</code>
the same facts as RFC 9457.</p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="errors"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">When</th></tr></thead>
<tbody>
${errors}</tbody>
</table></div>
</section>`;
}

function endpointSection(endpoint: Endpoint): Html {
  const rows = (endpoint.parameters ?? []).map(
    (parameter) => html`<dt><code>${parameter.name}</code> <small>${parameter.in}</small></dt><dd>${prose(parameter.description)}</dd>
`,
  );
  const answers = Object.entries(endpoint.answers).map(
    ([status, answer]) => html`<dt>${status}</dt><dd>${prose(answer.description)}</dd>
`,
  );
  const codes = errorCodesOf(endpoint).map((code) => html`<a href="#${code}"><code>${code}</code></a> `);
  const access = endpoint.access === "public" ? "No key needed." : "Needs a key.";
  return html`<section>
<h2><code>${methodsOf(endpoint).join(", ")} ${endpoint.path}</code></h2>
<p>${endpoint.summary}. ${prose(endpoint.description ?? "")} ${access}</p>
<dl>
${rows}${answers}</dl>
<details><summary>Errors</summary><p>${codes}</p></details>
</section>
`;
}
