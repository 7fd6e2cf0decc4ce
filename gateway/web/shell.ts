import type { FastifyReply, FastifyRequest } from "fastify";
import { compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import { addressesOf, addressOfTexts, currentBundle } from "./assets.ts";
import type { Bundle, EntryName } from "./bundle.ts";
import { type Html, html } from "./html.ts";
import { directionOf, type Language, languageFor, languages, translatorOf } from "./languages.ts";
import type { Translator } from "./translate.ts";

/** All resources come from this server, and nothing is inline. blob: is needed for PDF previews, which the page holds in memory. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "frame-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export type Page = {
  readonly title: string;
  readonly description: string;
  /** The current place in the navigation. */
  readonly place?: "/" | "/jobs" | "/automate" | "/docs";
  readonly script?: EntryName;
  readonly main: Html;
  readonly status?: number;
};

const places = [
  ["/", "nav.convert"],
  ["/jobs", "nav.jobs"],
  ["/automate", "nav.automate"],
  ["/docs", "nav.docs"],
] as const;

/** The logo: four sheets arranged like the sails of a windmill. */
const mark = html`<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" class="mark-ground"/><path d="M15.2 15.2V5.5H9.9L6.5 8.9v6.3z"/><path d="M16.8 15.2h9.7V9.9l-3.4-3.4h-6.3z" opacity=".72"/><path d="M16.8 16.8v9.7h5.3l3.4-3.4v-6.3z"/><path d="M15.2 16.8H5.5v5.3l3.4 3.4h6.3z" opacity=".72"/></svg>`;

const themeIcon = html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class="icon"><path d="M12 3a9 9 0 1 0 0 18z" fill="currentColor"/><circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" stroke-width="1.75"/></svg>`;

const languageIcon = html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class="icon"><path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"/></svg>`;

/**
 * Sends a compressed page. Given a function, the page is in the reader's language. Otherwise its content is English, in a frame in the
 * reader's language.
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page | ((say: Translator) => Page),
): Promise<FastifyReply> {
  const language = languageFor(request);
  const say = await translatorOf(language);
  const isEnglish = typeof page !== "function";
  const whole = isEnglish ? page : page(say);
  const frame = { say, language, isEnglish, path: request.url, texts: await addressOfTexts(language) };
  const text = documentOf(whole, frame, await currentBundle()).text;
  reply
    .headers({ "content-security-policy": PAGE_POLICY, "cross-origin-opener-policy": "same-origin", "cache-control": "no-cache" })
    .headers({ "content-language": language, vary: "Accept-Language, Cookie" })
    .code(whole.status ?? 200);
  return sendCompressed(request, reply, "text/html; charset=utf-8", await compressedOf(Buffer.from(text), 5));
}

type Frame = {
  readonly say: Translator;
  readonly language: Language;
  /** True if the content is in English regardless of the reader's language. */
  readonly isEnglish: boolean;
  /** The current URL, to return to after a change of language. */
  readonly path: string;
  /** URL of the script with the texts. */
  readonly texts: string;
};

function documentOf(page: Page, frame: Frame, bundle: Bundle): Html {
  const { say, language, isEnglish } = frame;
  const script = page.script === undefined ? undefined : addressesOf(bundle, page.script);
  const links = places.map(
    ([path, key]) => html`<li><a href="${path}"${path === page.place ? html` aria-current="page"` : ""}>${say.text(key)}</a></li>`,
  );
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${page.title}</title>
<meta name="theme-color" content="#faf8f4" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#161412" media="(prefers-color-scheme: dark)">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="${addressesOf(bundle, "icon-touch").href}">
<link rel="icon" type="image/svg+xml" href="${addressesOf(bundle, "icon").href}">
<link rel="stylesheet" href="${addressesOf(bundle, "style").href}">
<script src="${addressesOf(bundle, "theme").href}"></script>
${script === undefined ? "" : html`<script defer src="${frame.texts}"></script><script type="module" src="${script.href}"></script>${script.imports.map((href) => html`<link rel="modulepreload" href="${href}">`)}`}
</head>
<body>
<a class="skip" href="#main">${say.text("page.skip")}</a>
<header class="top">
<div class="top-row">
<a class="brand" href="/">${mark}<span>Filemill</span></a>
<nav aria-label="${say.text("page.main")}"><ul>${links}</ul></nav>
<div id="who"></div>
<button type="button" id="theme" class="icon-button needs-script" aria-label="${say.text("page.theme")}" aria-pressed="false">${themeIcon}</button>
</div>
</header>
<main id="main" tabindex="-1"${isEnglish ? html` lang="en" dir="ltr"` : ""}>
${page.main}
</main>
<footer class="bottom">
<p>${say.text("page.promise")}</p>
<p><a href="/docs/formats">${say.text("nav.formats")}</a> <a href="/docs/errors">${say.text("nav.errors")}</a> <a href="/api/v1/openapi.json">OpenAPI</a></p>
${languageChooser(frame)}
</footer>
</body>
</html>
`;
}

/** Lists every language by its own name. Works without scripts. */
function languageChooser({ say, language, path }: Frame): Html {
  const links = Object.entries(languages).map(([code, name]) => {
    const address = `/language?${new URLSearchParams({ to: code, next: path })}`;
    const current = code === language ? html` aria-current="true"` : "";
    return html`<li><a href="${address}" lang="${code}" hreflang="${code}" rel="nofollow"${current}>${name}</a></li>`;
  });
  return html`<details class="languages"><summary>${languageIcon}<span class="sr-only">${say.text("page.language")} </span>${languages[language]}</summary><ul>${links}</ul></details>`;
}
