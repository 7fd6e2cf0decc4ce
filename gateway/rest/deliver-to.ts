import { FilemillError, throwKnown } from "#contract/errors.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import type { RestContext } from "#gateway/exchange/exchange.ts";

/**
 * Checks the delivery URL before any other work. Guests may not use it, because nobody could be held responsible for the URL.
 *
 * @throws FilemillError BAD_REQUEST (`details.field` = `deliverTo`), NOT_ENTITLED
 */
export async function checkedDeliverTo({ deps }: RestContext, caller: Caller, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  if (caller.isGuest === true) throw new FilemillError("NOT_ENTITLED", "Sign in to have results sent to an address.");
  return (await deps.webhooks.checkReceiver({ url: text }).catch(throwKnown)).url;
}
