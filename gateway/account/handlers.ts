import type { Handler, RestContext } from "#gateway/exchange/exchange.ts";
import type { AccountEndpointId } from "./endpoints.ts";
import { createKeyHandler, listKeysHandler, renameKeyHandler, revokeKeyHandler } from "./keys.ts";
import { meHandler } from "./me.ts";
import { oidcCallbackHandler, oidcStartHandler } from "./oidc-handlers.ts";
import { getPresetsHandler, setPresetsHandler } from "./presets.ts";
import { createResultLinkHandler, listResultLinksHandler, revokeResultLinkHandler } from "./result-links.ts";
import {
  deleteMeHandler,
  setPasswordHandler,
  signInByLinkHandler,
  signInHandler,
  signOutEverywhereHandler,
  signOutHandler,
  signUpHandler,
} from "./sign-in.ts";

export function accountHandlersOf(context: RestContext): Readonly<Record<AccountEndpointId, Handler>> {
  return {
    me: meHandler(context),
    signUp: signUpHandler(context),
    signIn: signInHandler(context),
    signInByLink: signInByLinkHandler(context),
    signOut: signOutHandler(context),
    signOutEverywhere: signOutEverywhereHandler(context),
    setPassword: setPasswordHandler(context),
    deleteMe: deleteMeHandler(context),
    oidcStart: oidcStartHandler(context),
    oidcCallback: oidcCallbackHandler(context),
    listResultLinks: listResultLinksHandler(context),
    createResultLink: createResultLinkHandler(context),
    revokeResultLink: revokeResultLinkHandler(context),
    getPresets: getPresetsHandler(context),
    setPresets: setPresetsHandler(context),
    listKeys: listKeysHandler(context),
    createKey: createKeyHandler(context),
    renameKey: renameKeyHandler(context),
    revokeKey: revokeKeyHandler(context),
  };
}
