import { errorOf, offline, ownHeader } from "#client/server/api.ts";

/** A result's bytes, for what the page itself shows of them. Rejects with what the server refused. */
export async function ask(address: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { headers: ownHeader, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : offline();
  });
  if (!answer.ok) throw errorOf(answer.status, await answer.text(), answer.headers.get("retry-after"));
  return answer;
}
