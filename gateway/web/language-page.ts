import { FilemillError } from "#contract/errors.ts";
import type { Handler } from "#gateway/exchange/exchange.ts";
import { parseQuery } from "#gateway/http/query.ts";
import { chooseLanguage, isLanguage } from "./languages.ts";

/** GET /language?to=de&next=/jobs: stores the reader's choice and redirects back. */
export const languageHandler: Handler = async (_context, request, reply) => {
  const query = parseQuery(request.url);
  const language = query.get("to") ?? "";
  if (!isLanguage(language))
    throw new FilemillError("NOT_FOUND", "The pages are not available in this language; choose one at the bottom of any page.");
  chooseLanguage(reply, language);
  reply.header("cache-control", "no-store");
  return reply.redirect(placeOf(query.get("next") ?? "/"), 303);
};

/** Allows only paths on this server, so that a crafted link cannot redirect elsewhere. */
function placeOf(next: string): string {
  const here = "http://here.invalid";
  const url = URL.canParse(next, here) ? new URL(next, here) : undefined;
  return url?.origin === here && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}
