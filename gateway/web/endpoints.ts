import { defineEndpoints, type Endpoint } from "#gateway/exchange/endpoint.ts";

const page = <const Path extends string>(path: Path, summary: string) =>
  ({
    method: "GET",
    path,
    summary,
    access: "public",
    unlisted: true,
    head: true,
    answers: { 200: { description: "A page.", mediaType: "text/html", schema: { type: "string" } } },
    errors: [],
  }) as const satisfies Endpoint;

const forPages = { method: "GET", access: "public", unlisted: true, head: true } as const;

/** The pages, and endpoints that only they use. */
export const pageEndpoints = defineEndpoints({
  home: page("/", "The converter"),
  jobsPage: page("/jobs", "The account's jobs"),
  automate: page("/automate", "Keys, plan and account settings"),
  operatePage: page("/operate", "The operator's page"),
  docs: page("/docs", "The API reference"),
  formatsPage: page("/docs/formats", "Every format and how faithful its conversions are"),
  errorsPage: page("/docs/errors", "Every error code"),
  language: {
    ...forPages,
    head: false,
    path: "/language",
    summary: "Sets the language of the pages",
    parameters: [
      { name: "to", in: "query", required: true, description: "A language, such as `de`.", schema: { type: "string" } },
      { name: "next", in: "query", description: "The page to return to.", schema: { type: "string" } },
    ],
    answers: { 303: { description: "The page to return to." } },
    errors: ["NOT_FOUND"],
  },
  asset: {
    ...forPages,
    path: "/assets/{name}",
    summary: "Script, style or icon of the pages",
    answers: { 200: { description: "It never changes.", mediaType: "*/*" }, 304: { description: "Unchanged." } },
    errors: ["NOT_FOUND"],
  },
  favicon: {
    ...forPages,
    path: "/favicon.ico",
    summary: "The icon at the path where browsers look for it",
    answers: { 200: { description: "The icon.", mediaType: "image/x-icon" }, 304: { description: "Unchanged." } },
    errors: [],
  },
  manifest: {
    ...forPages,
    path: "/manifest.webmanifest",
    summary: "The web app manifest",
    answers: { 200: { description: "The manifest.", mediaType: "application/manifest+json" }, 304: { description: "Unchanged." } },
    errors: [],
  },
  worker: {
    ...forPages,
    path: "/worker.js",
    summary: "The service worker of the pages",
    answers: { 200: { description: "A script.", mediaType: "text/javascript" }, 304: { description: "Unchanged." } },
    errors: [],
  },
  offline: page("/offline", "The page that the service worker shows while the server cannot be reached"),
  sharePage: {
    ...{ ...forPages, head: false, path: "/share/{token}", summary: "The page of a shared result" },
    answers: { 200: { description: "A page.", mediaType: "text/html", schema: { type: "string" } } },
    errors: ["NOT_FOUND", "RATE_LIMITED"],
  },
  shareFile: {
    ...{ ...forPages, head: false, path: "/share/{token}/file", summary: "The bytes of a shared result, counted as a download" },
    ...{ answers: { 200: { description: "The result.", mediaType: "*/*" } }, errors: ["NOT_FOUND", "RATE_LIMITED"] },
  },
  catalogueIndex: {
    ...forPages,
    path: "/web/v1/catalogue",
    summary: "Formats with the number of their conversions",
    answers: { 200: { description: "Formats.", mediaType: "application/json" }, 304: { description: "Unchanged." } },
    errors: [],
  },
  catalogueRoutes: {
    ...forPages,
    path: "/web/v1/catalogue/{from}",
    summary: "Conversions from one format",
    answers: { 200: { description: "Conversions.", mediaType: "application/json" }, 304: { description: "Unchanged." } },
    errors: ["NOT_FOUND"],
  },
});
