/** Makes the pages an installable app: manifest, service worker, and the page it shows when the server cannot be reached. */

import type { Handlers } from "#gateway/exchange/exchange.ts";
import { type Compressed, compressedOf, sendCompressed } from "#gateway/http/compressed.ts";
import { addressesOf, currentBundle } from "./assets.ts";
import { bundleWorker } from "./bundle.ts";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

const icons = [
  ["icon-192", "192x192", "any"],
  ["icon-512", "512x512", "any"],
  ["icon-maskable", "512x512", "maskable"],
] as const;

export const installableHandlers = {
  /** GET /manifest.webmanifest */
  async manifest(_context, request, reply) {
    const bundle = await currentBundle();
    const manifest = {
      ...{ name: "Filemill", short_name: "Filemill", id: "/", start_url: "/", scope: "/", display: "standalone" },
      ...{ background_color: "#faf8f4", theme_color: "#faf8f4" },
      icons: icons.map(([entry, sizes, purpose]) => ({ src: addressesOf(bundle, entry).href, sizes, type: "image/png", purpose })),
      share_target: {
        ...{ action: "/share", method: "POST", enctype: "multipart/form-data" },
        params: { files: [{ name: "files", accept: ["*/*", "image/*", "application/pdf"] }] },
      },
    };
    reply.header("cache-control", "no-cache");
    return sendCompressed(request, reply, "application/manifest+json", await compressedOf(Buffer.from(JSON.stringify(manifest)), 5));
  },
  /** GET /worker.js. At the root, because a service worker controls only URLs below its own folder. */
  async worker(_context, request, reply) {
    bundling ??= bundleWorker().catch((error: unknown) => {
      bundling = undefined;
      throw error;
    });
    reply.headers({ "cache-control": "no-cache", "content-security-policy": "default-src 'none'; connect-src 'self'" });
    return sendCompressed(request, reply, "text/javascript; charset=utf-8", await bundling);
  },
  /** GET /offline: cached by the service worker. */
  async offline(_context, request, reply) {
    return sendPage(request, reply, (say) => ({
      title: `${say.text("progress.offline")} · Filemill`,
      description: say.text("page.offline.text"),
      main: html`<div class="page">
<h1>${say.text("progress.offline")}</h1>
<p class="lead">${say.text("page.offline.text")}</p>
<p class="actions"><a class="button button-primary" href="/">${say.text("do.tryAgain")}</a></p>
</div>`,
    }));
  },
} satisfies Handlers;

let bundling: Promise<Compressed> | undefined;
