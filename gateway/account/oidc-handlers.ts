import { FilemillError, fromConnectError } from "#contract/errors.ts";
import type { Flow, Oidc } from "#gateway/access/oidc.ts";
import { type Handlers, type RestContext, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { clearCookie, cookieOf, setCookie } from "#gateway/http/cookies.ts";
import { parseQuery } from "#gateway/http/query.ts";
import { beginPageSession } from "./sign-in.ts";

const callbackPath = "/auth/oidc/callback";
const flowSeconds = 600;

export const oidcHandlers = {
  /** GET /auth/oidc/start?next=/automate: redirects to the provider. */
  async oidcStart(context, request, reply) {
    const oidc = providerOf(context);
    const next = pathOf(parseQuery(request.raw.url ?? "").get("next"));
    const { url, flow } = await oidc.begin(`${requestBaseUrlOf(context, request)}${callbackPath}`);
    const kept = Buffer.from(JSON.stringify({ ...flow, next })).toString("base64url");
    setCookie(reply, context.settings, "filemill_oidc", kept, flowSeconds);
    return reply.redirect(url, 303);
  },
  /** GET /auth/oidc/callback: completes the sign-in and redirects to the page. On failure, redirects with `#error=<code>`. */
  async oidcCallback(context, request, reply) {
    const oidc = providerOf(context);
    const kept = flowOf(cookieOf(request, context.settings, "filemill_oidc"));
    clearCookie(reply, context.settings, "filemill_oidc");
    try {
      if (kept === undefined) throw new FilemillError("INVALID_CREDENTIALS", "Start signing in again.");
      await context.throttle.token(clientOf(request.ip));
      const identity = await oidc.finish(new URL(request.raw.url ?? "", requestBaseUrlOf(context, request)), kept);
      const signedIn = await context.deps.signIn.signInByIdentity({ ...identity, plan: oidc.plan });
      await beginPageSession(context, request, reply, signedIn);
      return reply.redirect(kept.next, 303);
    } catch (error) {
      const known = fromConnectError(error);
      // Logs only the kind of the provider's error, because its text may contain codes and addresses.
      context.deps.log.warn("gateway.oidc_refused", { requestId: request.id, code: known.code, cause: causeOf(known) });
      return reply.redirect(`/automate#error=${known.code}`, 303);
    }
  },
} satisfies Handlers;

function providerOf({ oidc }: RestContext): Oidc {
  if (oidc === undefined) throw new FilemillError("NOT_FOUND", "This server has no identity provider.");
  return oidc;
}

/** Allows only paths of Filemill's own pages, so that a crafted link cannot redirect elsewhere. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?:[a-z0-9-]+(?:\/[a-z0-9-]+)*)?$/.test(next) ? next : "/automate";
}

function flowOf(cookie: string | undefined): (Flow & { readonly next: string }) | undefined {
  try {
    const kept: unknown = JSON.parse(Buffer.from(cookie ?? "", "base64url").toString());
    if (typeof kept !== "object" || kept === null) return undefined;
    const { state, nonce, verifier, next }: Record<string, unknown> = { ...kept };
    if (typeof state !== "string" || typeof nonce !== "string" || typeof verifier !== "string") return undefined;
    return { state, nonce, verifier, next: pathOf(typeof next === "string" ? next : undefined) };
  } catch {
    return undefined;
  }
}

function causeOf({ cause }: FilemillError): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return "code" in cause ? `${cause.name} ${String(cause.code)}` : cause.name;
}
