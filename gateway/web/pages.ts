import { curlBlock } from "#gateway/curl-line.ts";
import { type Handlers, type RestContext, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { type Html, html, linkTo, said } from "./html.ts";
import { sendPage } from "./shell.ts";
import type { Translator } from "./translate.ts";

export const mainPageHandlers = {
  /** GET /: the converter. */
  async home(context, request, reply) {
    const counts = await countsOf(context);
    return sendPage(request, reply, (say) => ({
      title: say.text("page.home.title"),
      description: say.text("page.home.description"),
      place: "/",
      script: "converter",
      main: converterPage(say, requestBaseUrlOf(context, request), counts),
    }));
  },
  /** GET /automate: keys, plan and settings of the account. */
  async automate(context, request, reply) {
    const baseUrl = requestBaseUrlOf(context, request);
    return sendPage(request, reply, (say) => ({
      title: `${say.text("nav.automate")} · Filemill`,
      description: say.text("page.automate.description"),
      place: "/automate",
      script: "automate",
      main: html`<div class="page">
<h1>${say.text("nav.automate")}</h1>
<p class="lead">${say.text("page.automate.lead")}</p>
${withoutScript(say, baseUrl)}
<div id="app" data-base="${baseUrl}"></div>
</div>`,
    }));
  },
  /** GET /jobs: the account's conversions. */
  async jobsPage(context, request, reply) {
    return sendPage(request, reply, (say) => ({
      title: `${say.text("nav.jobs")} · Filemill`,
      description: say.text("page.jobs.description"),
      place: "/jobs",
      script: "jobs",
      main: html`<div class="page page-wide">
<h1>${say.text("nav.jobs")}</h1>
${withoutScript(say, requestBaseUrlOf(context, request))}
<div id="app"></div>
</div>`,
    }));
  },
  /** GET /operate: an empty frame. Its content is loaded with the operator's session. */
  async operatePage(context, request, reply) {
    return sendPage(request, reply, (say) => ({
      title: `${say.text("nav.operate")} · Filemill`,
      description: say.text("page.operate.description"),
      script: "operate",
      main: html`<div class="page page-wide">
<h1>${say.text("nav.operate")}</h1>
${withoutScript(say, requestBaseUrlOf(context, request))}
<div id="app"></div>
</div>`,
    }));
  },
} satisfies Handlers;

type Counts = { readonly conversions: number; readonly formats: number };

async function countsOf(context: RestContext): Promise<Counts | undefined> {
  try {
    const { counts } = await context.views.current();
    return counts.conversions === 0 ? undefined : counts;
  } catch {
    // The page is still useful while the catalogue cannot be reached.
    return undefined;
  }
}

function converterPage(say: Translator, baseUrl: string, counts: Counts | undefined): Html {
  const offer =
    counts === undefined
      ? html`${say.text("page.home.starting")}`
      : said(say, "page.home.offer", { ...counts, a: linkTo("/docs/formats") });
  return html`<div class="page">
<div class="hero">
<h1>${say.text("page.home.heading")}</h1>
<p class="lead">${offer}</p>
</div>
${withoutScript(say, baseUrl)}
<div id="app"><div class="drop drop-waiting needs-script" aria-hidden="true"></div></div>
</div>`;
}

/** Shown by browsers without scripts: how to convert with curl, with this deployment's URL. */
function withoutScript(say: Translator, baseUrl: string): Html {
  return html`<noscript><section class="panel" aria-labelledby="by-hand">
<h2 id="by-hand">${say.text("page.noscript.title")}</h2>
<p>${said(say, "page.noscript.text")}</p>
<pre tabindex="0" dir="ltr"><code>${curlBlock({ baseUrl })}</code></pre>
<p>${said(say, "page.noscript.keys", { command: html`<code dir="ltr">npm run -s filemill -- keys create EMAIL</code>`, a: linkTo("/docs") })}</p>
</section></noscript>`;
}
