import type { FastifyReply, FastifyRequest } from "fastify";
import { compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import { addressesOf, currentBundle } from "./assets.ts";
import type { Bundle, EntryName } from "./bundle.ts";
import { type Html, html } from "./html.ts";

/** Everything comes from here, and nothing is inline; blob: is the preview of a PDF, which the page holds in memory. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "frame-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export type Page = {
  readonly title: string;
  readonly description: string;
  /** The place in the navigation that is marked as current. */
  readonly place?: "/" | "/jobs" | "/automate" | "/docs";
  readonly script?: EntryName;
  readonly main: Html;
  readonly status?: number;
};

const places = [
  ["/", "Convert"],
  ["/jobs", "Jobs"],
  ["/automate", "Automate"],
  ["/docs", "Docs"],
] as const;

/** Four sheets that turn like the sails of a mill. */
const mark = html`<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" class="mark-ground"/><path d="M15.2 15.2V5.5H9.9L6.5 8.9v6.3z"/><path d="M16.8 15.2h9.7V9.9l-3.4-3.4h-6.3z" opacity=".72"/><path d="M16.8 16.8v9.7h5.3l3.4-3.4v-6.3z"/><path d="M15.2 16.8H5.5v5.3l3.4 3.4h6.3z" opacity=".72"/></svg>`;

const themeIcon = html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class="icon"><path d="M12 3a9 9 0 1 0 0 18z" fill="currentColor"/><circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" stroke-width="1.75"/></svg>`;

/** Sends a page, compressed. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): Promise<FastifyReply> {
  const text = documentOf(page, await currentBundle()).text;
  reply
    .headers({ "content-security-policy": PAGE_POLICY, "cross-origin-opener-policy": "same-origin", "cache-control": "no-cache" })
    .code(page.status ?? 200);
  return sendCompressed(request, reply, "text/html; charset=utf-8", await compressedOf(Buffer.from(text), 5));
}

function documentOf(page: Page, bundle: Bundle): Html {
  const script = page.script === undefined ? undefined : addressesOf(bundle, page.script);
  const links = places.map(
    ([path, label]) => html`<li><a href="${path}"${path === page.place ? html` aria-current="page"` : ""}>${label}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${page.title}</title>
<link rel="icon" type="image/svg+xml" href="${addressesOf(bundle, "icon").href}">
<link rel="stylesheet" href="${addressesOf(bundle, "style").href}">
<script src="${addressesOf(bundle, "theme").href}"></script>
${script === undefined ? "" : html`<script type="module" src="${script.href}"></script>${script.imports.map((href) => html`<link rel="modulepreload" href="${href}">`)}`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<div class="top-row">
<a class="brand" href="/">${mark}<span>Filemill</span></a>
<nav aria-label="Main"><ul>${links}</ul></nav>
<button type="button" id="theme" class="icon-button needs-script" aria-label="Dark theme" aria-pressed="false">${themeIcon}</button>
</div>
</header>
<main id="main" tabindex="-1">
${page.main}
</main>
<footer class="bottom">
<p>Filemill converts on this server. Nothing is sent anywhere else.</p>
<p><a href="/docs/formats">Formats</a> <a href="/docs/errors">Errors</a> <a href="/api/v1/openapi.json">OpenAPI</a></p>
</footer>
</body>
</html>
`;
}
