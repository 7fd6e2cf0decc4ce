import type { Handler } from "#gateway/exchange/exchange.ts";
import { assetHandlers } from "./assets.ts";
import type { pageEndpoints } from "./endpoints.ts";
import { errorsPageHandler } from "./errors-page.ts";
import { catalogueHandlers } from "./formats-page.ts";
import { installableHandlers } from "./installable.ts";
import { languageHandler } from "./language-page.ts";
import { mainPageHandlers } from "./pages.ts";
import { referencePageHandler } from "./reference-page.ts";
import { shareHandlers } from "./share-page.ts";

/** The handlers of the pages and of the endpoints that only they use. */
export const pageHandlers: Readonly<Record<keyof typeof pageEndpoints, Handler>> = {
  ...mainPageHandlers,
  docs: referencePageHandler,
  errorsPage: errorsPageHandler,
  language: languageHandler,
  ...assetHandlers,
  ...installableHandlers,
  ...shareHandlers,
  ...catalogueHandlers,
};
