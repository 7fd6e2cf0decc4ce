import { curlBlock } from "#gateway/curl-line.ts";
import { type Handler, type RestContext, requestBaseUrlOf } from "#gateway/rest/exchange.ts";
import { type Html, html } from "./html.ts";
import { sendPage } from "./shell.ts";

/** GET /: the converter. */
export function homeHandler(context: RestContext): Handler {
  return async (request, reply) => {
    const counts = await countsOf(context);
    return sendPage(request, reply, {
      title: "Filemill: convert files on your own server",
      description: "Convert documents, pictures, sound, film and data. Drop a file, choose the target format, download the result.",
      place: "/",
      script: "converter",
      main: converterPage(requestBaseUrlOf(context, request), counts),
    });
  };
}

/** GET /automate: keys, plan and settings of the account. */
export function automateHandler(context: RestContext): Handler {
  return async (request, reply) =>
    sendPage(request, reply, {
      title: "Automate · Filemill",
      description: "API keys, what your plan allows, and your account.",
      place: "/automate",
      script: "automate",
      main: html`<div class="page">
<h1>Automate</h1>
<p class="lead">Convert from scripts and programs with an API key.</p>
${withoutScript(requestBaseUrlOf(context, request))}
<div id="app" data-base="${requestBaseUrlOf(context, request)}"></div>
</div>`,
    });
}

/** GET /jobs: what the account has converted. */
export function jobsHandler(context: RestContext): Handler {
  return async (request, reply) =>
    sendPage(request, reply, {
      title: "Jobs · Filemill",
      description: "Your conversions: running, finished and failed.",
      place: "/jobs",
      script: "jobs",
      main: html`<div class="page page-wide">
<h1>Jobs</h1>
${withoutScript(requestBaseUrlOf(context, request))}
<div id="app"></div>
</div>`,
    });
}

async function countsOf(context: RestContext): Promise<{ conversions: number; formats: number } | undefined> {
  try {
    const { counts } = await context.views.current();
    return counts.conversions === 0 ? undefined : counts;
  } catch {
    // The page is worth reading also while the catalogue cannot be reached.
    return undefined;
  }
}

const counted = new Intl.NumberFormat("en");

function converterPage(baseUrl: string, counts: { conversions: number; formats: number } | undefined): Html {
  const offer =
    counts === undefined
      ? html`The engines are still starting.`
      : html`<a href="/docs/formats">${counted.format(counts.formats)} formats</a>, ${counted.format(counts.conversions)} conversions that work on this server.`;
  return html`<div class="page">
<div class="hero">
<h1>Convert any file.</h1>
<p class="lead">${offer}</p>
</div>
${withoutScript(baseUrl)}
<div id="app"><div class="drop drop-waiting needs-script" aria-hidden="true"></div></div>
</div>`;
}

/** What a reader gets whose browser runs no scripts: the way by hand, with this deployment's address. */
function withoutScript(baseUrl: string): Html {
  return html`<noscript><section class="panel" aria-labelledby="by-hand">
<h2 id="by-hand">Without JavaScript</h2>
<p>This page needs JavaScript, which comes from this server alone. Without it, use the command line: put an API key into <code>FILEMILL_API_KEY</code> and run</p>
<pre tabindex="0"><code>${curlBlock({ baseUrl })}</code></pre>
<p>The operator creates accounts and keys with <code>npm run -s filemill -- keys create EMAIL</code>. Everything else is in the <a href="/docs">API reference</a>.</p>
</section></noscript>`;
}
