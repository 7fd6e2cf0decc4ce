import { FilemillError } from "#contract/errors.ts";
import { kinds } from "#formats/index.ts";
import type { FormatFacts } from "#gateway/exchange/catalogue-view.ts";
import type { Handlers } from "#gateway/exchange/exchange.ts";
import { compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import { docsFrame } from "./docs-frame.ts";
import { type Html, html } from "./html.ts";
import { sendPage } from "./shell.ts";

export const catalogueHandlers = {
  /** GET /docs/formats: every format that is read or written here. The conversions of a format are fetched when the reader opens it. */
  async formatsPage(context, request, reply) {
    const { formats, counts } = await context.views.current();
    return sendPage(request, reply, {
      title: "Formats · Filemill",
      description: "Every format this server reads and writes, and how faithful each conversion is.",
      place: "/docs",
      script: "docs",
      main: formatsPage(formats, counts.conversions),
    });
  },
  /** GET /web/v1/catalogue: the formats with the number of conversions from and to each. A hundredth of the size of `GET /formats`. */
  async catalogueIndex(context, request, reply) {
    const { formats } = await context.views.current();
    reply.header("cache-control", "no-cache");
    return sendCompressed(request, reply, "application/json", await compressedOf(Buffer.from(JSON.stringify({ formats })), 5));
  },
  /** GET /web/v1/catalogue/{from}: the conversions from one format, in the same form as in `GET /formats`. */
  async catalogueRoutes(context, request, reply) {
    const { params } = request;
    const from = typeof params === "object" && params !== null && "from" in params ? String(params.from) : "";
    const conversions = (await context.views.current()).conversionsFrom(from);
    if (conversions === undefined)
      throw new FilemillError("NOT_FOUND", "No conversion from this format is listed; see GET /web/v1/catalogue.");
    reply.header("cache-control", "no-cache");
    const body = Buffer.concat([Buffer.from('{"conversions":['), conversions, Buffer.from("]}")]);
    return sendCompressed(request, reply, "application/json", await compressedOf(body, 5));
  },
} satisfies Handlers;

const fidelities = [
  ["lossless", "The decoded content is identical."],
  ["high", "Re-encoded, with no visible loss at default options."],
  ["reduced", "Layout, animation, transparency, colours or structure are visibly simplified."],
  ["extract", "Only a part is kept: the audio of a video, the text of a PDF, the first frame."],
] as const;

const counted = new Intl.NumberFormat("en");

function formatsPage(formats: readonly FormatFacts[], conversions: number): Html {
  const byKind = Map.groupBy(formats, ({ kind }) => kind);
  const sorted = kinds.flatMap((kind) => (byKind.has(kind) ? [[kind, byKind.get(kind) ?? []] as const] : []));
  const sections = sorted.map(
    ([kind, rows]) => html`<section class="kind" data-kind="${kind}" aria-labelledby="kind-${kind}">
<h2 id="kind-${kind}">${titleOf(kind)} <span class="count">${rows.length}</span></h2>
<ul class="format-list">${rows.map(formatRow)}</ul>
</section>
`,
  );
  return docsFrame(
    "/docs/formats",
    sorted.map(([kind]) => ({ id: `kind-${kind}`, label: titleOf(kind) })),
    html`<h1>Formats</h1>
<p class="lead">${counted.format(formats.length)} formats and ${counted.format(conversions)} conversions whose engine was found on this server and passed its probe.</p>
<form role="search" class="needs-script search" id="format-search"><label for="format-query">Search by name, extension or pair, such as <q>heic jpg</q></label>
<input type="search" id="format-query" autocomplete="off" spellcheck="false"><p id="format-count" class="quiet" role="status"></p></form>
<div id="format-pair"></div>
<details class="legend"><summary>What the fidelities mean</summary><dl class="properties">${fidelities.map(([name, text]) => html`<div><dt><span class="fidelity fidelity-${name}">${name}</span></dt><dd>${text}</dd></div>`)}</dl></details>
${sections}
<p>Programs read <a href="/api/v1/formats"><code>GET /api/v1/formats</code></a>.</p>`,
  );
}

function formatRow({ id, label, extensions, targets, sources }: FormatFacts): Html {
  const others = extensions.filter((extension) => extension !== id).map((extension) => `.${extension}`);
  return html`<li data-format="${id}" data-words="${[id, label, ...extensions].join(" ").toLowerCase()}"><div class="format-row"><code class="format-id">${id}</code>
<span class="format-label">${label}${others.length === 0 ? "" : html` <span class="quiet">${others.join(" ")}</span>`}</span>
<span class="quiet format-counts">${countsText(targets, sources)}</span></div></li>
`;
}

function countsText(targets: number, sources: number): string {
  if (targets === 0) return `written only · from ${sources}`;
  return sources === 0 ? `read only · to ${targets}` : `to ${targets} · from ${sources}`;
}

function titleOf(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
