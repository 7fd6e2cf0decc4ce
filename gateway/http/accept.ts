/** Content negotiation (RFC 9110 §12.5), only as far as we have a choice. */

type Offer = { readonly token: string; readonly quality: number };

function offersOf(header: string | undefined): Offer[] {
  return (header ?? "").split(",").map((item) => {
    const [token = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { token, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

/** True when the client names application/problem+json and does not prefer plain JSON to it. */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !/problem\+json/i.test(accept)) return false;
  const offers = offersOf(accept);
  const problem = offers.find((offer) => offer.token === "application/problem+json")?.quality ?? 0;
  const plain = offers.find((offer) => offer.token === "application/json")?.quality ?? 0;
  return problem > 0 && problem >= plain;
}

export type Encoding = "br" | "gzip" | "identity";

/** The best coding we have of those the client accepts; br before gzip when both are equal. */
export function encodingOf(acceptEncoding: string | undefined): Encoding {
  const offers = offersOf(acceptEncoding);
  const any = offers.find((offer) => offer.token === "*")?.quality ?? 0;
  const qualityOf = (token: string) => offers.find((offer) => offer.token === token)?.quality ?? any;
  const [br, gzip] = [qualityOf("br"), qualityOf("gzip")];
  if (br > 0 && br >= gzip) return "br";
  return gzip > 0 ? "gzip" : "identity";
}

/** The first of the languages on offer that the client likes best, by its main part: `pt-BR` takes `pt`. Undefined when there is none. */
export function languageOf<Code extends string>(acceptLanguage: string | undefined, available: readonly Code[]): Code | undefined {
  const wanted = offersOf(acceptLanguage).filter(({ quality }) => quality > 0);
  const best = wanted.toSorted((a, b) => b.quality - a.quality).map(({ token }) => token.split("-")[0]);
  return best.flatMap((main) => available.filter((code) => code === main))[0];
}
