import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import { clearSession, type SessionCaller, setSession } from "#gateway/access/page-caller.ts";
import { callerOf, type Handlers, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { clearCookie, cookieOf } from "#gateway/http/cookies.ts";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";
import { ownAccountOf } from "./me.ts";
import { accountJsonOf } from "./views.ts";

type SignedIn = { readonly account?: Account | undefined; readonly sessionToken: string };
/** Validated by the endpoint's schema. */
type Body<Name extends string> = { readonly [N in Name]: string };

export const signInHandlers = {
  /** POST /web/v1/sign-up. */
  async signUp(context, request, reply) {
    const { email, password } = request.body as Body<"email" | "password">;
    await context.throttle.signUp(clientOf(request.ip));
    return letIn(context, request, reply, 201, await context.deps.signIn.signUp({ email, password }));
  },
  /** POST /web/v1/sign-in. */
  async signIn(context, request, reply) {
    const { email, password } = request.body as Body<"email" | "password">;
    const device = context.devices.nameOf(request, email);
    const attempt = { client: clientOf(request.ip), subject: email, device };
    await context.throttle.attempt(attempt);
    const signedIn = await context.deps.signIn.signIn({ email, password, known: device !== undefined }).catch(throwKnown);
    await context.throttle.succeeded(attempt);
    return letIn(context, request, reply, 200, signedIn);
  },
  /** POST /web/v1/sign-in/link. */
  async signInByLink(context, request, reply) {
    const { token } = request.body as Body<"token">;
    await context.throttle.token(clientOf(request.ip));
    const signedIn = await context.deps.signIn.signInByLink({ token }).catch(throwKnown);
    return letIn(context, request, reply, 200, signedIn);
  },
  /** POST /web/v1/sign-out. */
  async signOut(context, request, reply) {
    await endPresentSession(context, request);
    clearSession(reply, context.settings);
    return reply.code(204).send();
  },
  /** POST /web/v1/sign-out-everywhere. */
  async signOutEverywhere(context, request, reply) {
    const { account } = callerOf(request);
    await context.deps.signIn.endSessions({ account: { ref: { case: "id", value: account.id } } });
    clearSession(reply, context.settings);
    return reply.code(204).send();
  },
  /** POST /web/v1/password. */
  async setPassword(context, request, reply) {
    const { current = "", next } = request.body as Partial<Body<"current">> & Body<"next">;
    const sessionToken = presentOf(request).session.token;
    await context.throttle.confirm(sessionToken);
    await context.deps.signIn.setPassword({ sessionToken, current, next }).catch(throwKnown);
    await context.throttle.confirmed(sessionToken);
    return reply.code(204).send();
  },
  /** DELETE /web/v1/me. */
  async deleteMe(context, request, reply) {
    const { password = "", email = "" } = request.body as Partial<Body<"password" | "email">>;
    const { account, session } = presentOf(request);
    const sessionToken = session.token;
    await context.throttle.confirm(sessionToken);
    await context.deps.signIn.confirm({ sessionToken, password, email }).catch(throwKnown);
    await context.deps.accounts.deleteAccount({ account: { ref: { case: "id", value: account.id } } });
    clearSession(reply, context.settings);
    return reply.code(204).send();
  },
} satisfies Handlers;

/** The signed-in caller, for endpoints that require a session. */
function presentOf(request: FastifyRequest): SessionCaller {
  const { session, ...caller } = callerOf(request);
  if (session === undefined) throw new FilemillError("SIGN_IN_REQUIRED", "Sign in first.");
  return { ...caller, session };
}

/** Always starts a new session and ends the current one, which prevents session fixation. */
export async function beginPageSession(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, sessionToken }: SignedIn,
): Promise<Account> {
  if (account === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  await endPresentSession(context, request);
  setSession(reply, context.settings, sessionToken);
  context.devices.remember(request, reply, account.email);
  clearCookie(reply, context.settings, "filemill_guest");
  return account;
}

async function letIn(context: RestContext, request: FastifyRequest, reply: FastifyReply, status: number, signedIn: SignedIn) {
  const account = await beginPageSession(context, request, reply, signedIn);
  const { sessionToken } = signedIn;
  const { plan, hasPassword, needsCurrentPassword } = await context.deps.signIn.verifySession({ sessionToken });
  if (plan === undefined) return sendJson(reply, status, { account: accountJsonOf(account) });
  const own = await ownAccountOf(context, { account, plan, session: { token: sessionToken, hasPassword, needsCurrentPassword } });
  return sendJson(reply, status, { account: own });
}

async function endPresentSession({ deps, settings }: RestContext, request: FastifyRequest): Promise<void> {
  const sessionToken = cookieOf(request, settings, "filemill_session");
  if (sessionToken !== undefined) await deps.signIn.endSession({ sessionToken });
}
