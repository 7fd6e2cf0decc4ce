import { errorOf, offline, ownHeader } from "#client/server/api.ts";

/** Fetches a result that the page itself displays. Rejects with the server's error. */
export async function ask(address: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { headers: ownHeader, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : offline();
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.text(), answer.headers.get("retry-after"));
  return answer;
}
