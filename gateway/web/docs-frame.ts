import { type Html, html } from "./html.ts";

const pages = [
  ["/docs", "API reference"],
  ["/docs/formats", "Formats"],
  ["/docs/errors", "Errors"],
] as const;

/** The frame of a documentation page: navigation, table of contents, and the text. */
export function docsFrame(current: (typeof pages)[number][0], sections: readonly { id: string; label: string }[], text: Html): Html {
  const contents = sections.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`);
  const links = pages.map(([path, label]) => {
    const below = path === current && sections.length > 0 ? html`<ul class="toc">${contents}</ul>` : html``;
    return html`<li><a href="${path}"${path === current ? html` aria-current="page"` : ""}>${label}</a>${below}</li>`;
  });
  return html`<div class="docs">
<nav class="docs-nav" aria-label="Documentation"><ul>${links}</ul></nav>
<div class="docs-text">
${text}
</div>
</div>`;
}
