import { FilemillError } from "#contract/errors.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import { callerOf, type Handler, type RestContext } from "#gateway/exchange/exchange.ts";
import { boundedFileName } from "#gateway/http/file-name.ts";
import { openRemoteFile, unfetched } from "#gateway/http/remote-file.ts";
import { following } from "#kit/following.ts";
import { answerConversion } from "./convert.ts";
import { type AskedBody, askedIn } from "./convert-request.ts";
import { storeBytes } from "./stored-bytes.ts";
import { ceilingOf, type Receive } from "./submission.ts";
import { tooLarge } from "./upload.ts";

/** Limit for the whole fetch, even if it progresses steadily. */
const fetchMs = 10 * 60_000;

/** POST /api/v1/convert-url: like POST /convert, with a fetched file. */
export const convertUrlHandler: Handler = async (context, request, reply) => {
  const body = request.body as AskedBody & { readonly url: string };
  const asked = await askedIn(context, request, body);
  return answerConversion(context, request, reply, asked, 0, fetching(context, callerOf(request), { ...body, from: asked.from }));
};

type Wanted = Pick<AskedBody, "to" | "name"> & { readonly url: string; readonly from: string | undefined };

/** Fetches the file from a URL. Throws NOT_FOUND if the operator has disabled fetching. */
export function fetching({ deps, settings, views }: RestContext, caller: Caller, { url, to, from, name }: Wanted): Receive {
  const { URL_FETCH } = settings;
  if (URL_FETCH === "off") throw new FilemillError("NOT_FOUND", "This server does not fetch files; upload them with POST /api/v1/convert.");
  const ceiling = ceilingOf({ views }, caller, from, to);
  return async ({ passage, signal }) => {
    using over = following(signal);
    using _limit = setTimeout(() => over.abort(unfetched("it takes too long")), fetchMs);
    const file = await openRemoteFile(url, { allowPrivate: URL_FETCH === "any", signal: over.signal });
    if (file.leastBytes > ceiling.limitMb * 1e6) {
      over.abort();
      throw tooLarge(ceiling);
    }
    const rules = { blobs: deps.blobs, ceiling, passage, signal: over.signal };
    const blob = await storeBytes(file.bytes, rules, () => unfetched("its server closed the connection"));
    return { to, blob, fileName: boundedFileName(name ?? file.name) };
  };
}
