import { FilemillError } from "#contract/errors.ts";
import { clearSession, guestOf, guestPlanOf, type SessionCaller, sessionCallerOf } from "#gateway/access/page-caller.ts";
import { type Handler, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import packageFile from "#package" with { type: "json" };
import { accountJsonOf, planJsonOf } from "./views.ts";

/** GET /web/v1/me. Answers everyone without an authentication error, so that a page can start with it. */
export const meHandler: Handler = async (context, request, reply) => {
  const caller = await sessionCallerOf(context, request).catch((error: unknown) => {
    if (!(error instanceof FilemillError && error.code === "SIGN_IN_REQUIRED")) throw error;
    clearSession(reply, context.settings);
    return undefined;
  });
  const guestPlan = caller === undefined ? await guestPlanOf(context) : undefined;
  // Sets the guest cookie with the page's first request, so that many uploads that start together belong to one guest.
  if (guestPlan !== undefined) guestOf(context, request, reply, guestPlan);
  const { open } = await context.deps.signIn.getSignUp({});
  return sendJson(reply, 200, {
    account: caller === undefined ? null : await ownAccountOf(context, caller),
    guest: guestPlan === undefined ? null : { plan: planJsonOf(guestPlan) },
    signUpOpen: open,
    linksAllowed: context.settings.LINKS === "on",
    oidc: context.oidc === undefined ? null : { label: context.oidc.label, url: "/auth/oidc/start" },
    version: packageFile.version,
  });
};

/** The account with its plan and usage. */
export async function ownAccountOf({ deps, limits }: RestContext, caller: SessionCaller) {
  const { account, plan, session } = caller;
  const { hasPassword, needsCurrentPassword } = session;
  const load = await deps.jobs.getLoad({ accountId: account.id });
  const usage = {
    requestsThisMinute: await limits.used("convert", account.id, plan.requestsPerMinute),
    unfinishedJobs: load.accountUnfinished,
    storedBytes: Number(load.accountStoredBytes),
    processorSecondsThisHour: Math.ceil(Number(load.accountProcessorMs) / 1000),
  };
  return { ...accountJsonOf(account), hasPassword, needsCurrentPassword, plan: planJsonOf(plan), usage };
}
