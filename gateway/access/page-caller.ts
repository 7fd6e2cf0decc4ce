import { createHash, randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import type { GatewayDeps, GatewaySettings } from "#gateway/context.ts";
import { clearCookie, cookieOf, setCookie } from "#gateway/http/cookies.ts";
import { AccountSchema, type Plan } from "#gen/filemill/account/v1/account_pb.ts";
import type { Caller, Session } from "./authenticate.ts";

const sessionCookieSeconds = 90 * 86_400;
const guestCookieSeconds = 30 * 86_400;

type Context = { readonly deps: Pick<GatewayDeps, "signIn">; readonly settings: Pick<GatewaySettings, "GUESTS" | "PUBLIC_URL"> };

/** A user who signed in. */
export type SessionCaller = Caller & { readonly session: Session };

export function setSession(reply: FastifyReply, settings: GatewaySettings, token: string): void {
  setCookie(reply, settings, "filemill_session", token, sessionCookieSeconds);
}

export function clearSession(reply: FastifyReply, settings: GatewaySettings): void {
  clearCookie(reply, settings, "filemill_session");
}

/** The signed-in user; undefined for a browser without a session. Rejects with SIGN_IN_REQUIRED if the session has ended. */
export async function sessionCallerOf(
  { deps, settings }: Context,
  request: FastifyRequest,
  options: CallOptions = {},
): Promise<SessionCaller | undefined> {
  const sessionToken = cookieOf(request, settings, "filemill_session");
  if (sessionToken === undefined) return undefined;
  const verified = await deps.signIn.verifySession({ sessionToken }, options).catch(throwKnown);
  const { account, plan, hasPassword, needsCurrentPassword } = verified;
  if (account === undefined || plan === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  const confirm = (bounds: CallOptions) => sessionCallerOf({ deps, settings }, request, bounds);
  return { account, plan, session: { token: sessionToken, hasPassword, needsCurrentPassword }, confirm };
}

/** The signed-in user, otherwise the guest. Rejects with SIGN_IN_REQUIRED if guests are not allowed. */
export async function pageCallerOf(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const signedIn = await sessionCallerOf(context, request);
  if (signedIn !== undefined) return signedIn;
  const plan = await guestPlanOf(context);
  if (plan === undefined) throw new FilemillError("SIGN_IN_REQUIRED", "Sign in first.");
  return guestOf(context, request, reply, plan);
}

/** The signed-in user. Rejects with SIGN_IN_REQUIRED. */
export async function signedInOf(context: Context, request: FastifyRequest): Promise<SessionCaller> {
  const caller = await sessionCallerOf(context, request);
  if (caller === undefined) throw new FilemillError("SIGN_IN_REQUIRED", "Sign in first.");
  return caller;
}

/** The signed-in operator. Rejects with NOT_FOUND for everybody else, so that the operator pages stay hidden. */
export async function operatorOf(context: Context, request: FastifyRequest): Promise<SessionCaller> {
  const caller = await sessionCallerOf(context, request).catch((error: unknown) => {
    if (error instanceof FilemillError && error.code === "SIGN_IN_REQUIRED") return undefined;
    throw error;
  });
  if (caller?.account.operator !== true) throw new FilemillError("NOT_FOUND", "There is nothing at this address; see /docs.");
  return caller;
}

/** The guests' plan; undefined if guests are not allowed. */
export async function guestPlanOf({ deps, settings }: Context): Promise<Plan | undefined> {
  if (settings.GUESTS === "off") return undefined;
  return (await deps.signIn.getSignUp({})).plan;
}

/**
 * A guest is identified by a random cookie. The account id is its hash, so nothing needs to be stored or signed, and knowing an id does not
 * let anybody act as that guest. Sets the cookie if there is none yet.
 */
export function guestOf({ settings }: Context, request: FastifyRequest, reply: FastifyReply, plan: Plan): Caller {
  const sent = cookieOf(request, settings, "filemill_guest");
  const token = sent !== undefined && /^[\w-]{43}$/.test(sent) ? sent : randomBytes(32).toString("base64url");
  if (token !== sent) setCookie(reply, settings, "filemill_guest", token, guestCookieSeconds);
  const id = `guest_${createHash("sha256").update(token).digest("hex").slice(0, 40)}`;
  return { account: create(AccountSchema, { id, plan: plan.id }), plan, isGuest: true };
}
