import type { Handler, RestContext } from "#gateway/exchange/exchange.ts";
import { assetHandler, faviconHandler } from "./assets.ts";
import type { pageEndpoints } from "./endpoints.ts";
import { errorsPageHandler } from "./errors-page.ts";
import { catalogueIndexHandler, catalogueRoutesHandler, formatsPageHandler } from "./formats-page.ts";
import { manifestHandler, offlineHandler, workerHandler } from "./installable.ts";
import { languageHandler } from "./language-page.ts";
import { automateHandler, homeHandler, jobsHandler, operateHandler } from "./pages.ts";
import { referencePageHandler } from "./reference-page.ts";
import { shareFileHandler, sharePageHandler } from "./share-page.ts";

/** The handlers of the pages and of the endpoints that only they use. */
export function pageHandlersOf(context: RestContext): Readonly<Record<keyof typeof pageEndpoints, Handler>> {
  return {
    home: homeHandler(context),
    jobsPage: jobsHandler(context),
    automate: automateHandler(context),
    operatePage: operateHandler(context),
    docs: referencePageHandler(context),
    formatsPage: formatsPageHandler(context),
    errorsPage: errorsPageHandler(),
    language: languageHandler(),
    asset: assetHandler(),
    favicon: faviconHandler(),
    manifest: manifestHandler(),
    worker: workerHandler(),
    offline: offlineHandler(),
    sharePage: sharePageHandler(context),
    shareFile: shareFileHandler(context),
    catalogueIndex: catalogueIndexHandler(context),
    catalogueRoutes: catalogueRoutesHandler(context),
  };
}
