/** Content negotiation (RFC 9110 §12.5), limited to what the gateway can choose between. */

type Offer = { readonly token: string; readonly quality: number };

function offersOf(header: string | undefined): Offer[] {
  return (header ?? "").split(",").map((item) => {
    const [token = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { token, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

/** True if the client accepts application/problem+json and does not prefer plain JSON. */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !/problem\+json/i.test(accept)) return false;
  const offers = offersOf(accept);
  const problem = offers.find((offer) => offer.token === "application/problem+json")?.quality ?? 0;
  const plain = offers.find((offer) => offer.token === "application/json")?.quality ?? 0;
  return problem > 0 && problem >= plain;
}

export type Encoding = "br" | "gzip" | "identity";

/** The client's preferred content coding among those offered. `br` wins over `gzip` if both are equal. */
export function encodingOf(acceptEncoding: string | undefined): Encoding {
  const offers = offersOf(acceptEncoding);
  const any = offers.find((offer) => offer.token === "*")?.quality ?? 0;
  const qualityOf = (token: string) => offers.find((offer) => offer.token === token)?.quality ?? any;
  const [br, gzip] = [qualityOf("br"), qualityOf("gzip")];
  if (br > 0 && br >= gzip) return "br";
  return gzip > 0 ? "gzip" : "identity";
}

/**
 * The client's most preferred language among those available. Compares primary subtags: `pt-BR` matches `pt`. Undefined if none matches.
 */
export function languageOf<Code extends string>(acceptLanguage: string | undefined, available: readonly Code[]): Code | undefined {
  const wanted = offersOf(acceptLanguage).filter(({ quality }) => quality > 0);
  const best = wanted.toSorted((a, b) => b.quality - a.quality).map(({ token }) => token.split("-")[0]);
  return best.flatMap((main) => available.filter((code) => code === main))[0];
}
