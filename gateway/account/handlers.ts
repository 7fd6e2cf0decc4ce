import type { Handler } from "#gateway/exchange/exchange.ts";
import type { AccountEndpointId } from "./endpoints.ts";
import { keyHandlers } from "./keys.ts";
import { meHandler } from "./me.ts";
import { oidcHandlers } from "./oidc-handlers.ts";
import { presetHandlers } from "./presets.ts";
import { resultLinkHandlers } from "./result-links.ts";
import { signInHandlers } from "./sign-in.ts";

export const accountHandlers: Readonly<Record<AccountEndpointId, Handler>> = {
  me: meHandler,
  ...signInHandlers,
  ...oidcHandlers,
  ...resultLinkHandlers,
  ...presetHandlers,
  ...keyHandlers,
};
