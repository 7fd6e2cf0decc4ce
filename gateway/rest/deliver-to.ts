import { FilemillError, fromConnectError } from "#contract/errors.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import type { RestContext } from "#gateway/exchange/exchange.ts";

/**
 * The address that a result is to be sent to, checked before anything is done for it. A guest's is refused: nobody could be asked whose
 * it is.
 *
 * @throws FilemillError BAD_REQUEST (`details.field` = `deliverTo`), NOT_ENTITLED
 */
export async function checkedDeliverTo({ deps }: RestContext, caller: Caller, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined;
  if (caller.isGuest === true) throw new FilemillError("NOT_ENTITLED", "Sign in to have results sent to an address.");
  try {
    return (await deps.webhooks.checkReceiver({ url: text })).url;
  } catch (error) {
    throw fromConnectError(error);
  }
}
