import type { FastifyRequest } from "fastify";
import { FilemillError, throwKnown } from "#contract/errors.ts";
import { instantOf } from "#contract/job-json.ts";
import { callerOf, type Handlers, type RestContext, requestBaseUrlOf, sendJson } from "#gateway/exchange/exchange.ts";
import { parseQuery } from "#gateway/http/query.ts";
import type { Account } from "#gen/filemill/account/v1/account_pb.ts";

const PAGE_SIZE = 25;

const refOf = (id: string) => ({ ref: { case: "id", value: id } }) as const;

export const operatorAccountHandlers = {
  /** GET /web/v1/operator/accounts?search=&cursor=, newest first. */
  async operatorAccounts({ deps }, request, reply) {
    const query = parseQuery(request.raw.url ?? "");
    const [search, cursor] = [(query.get("search") ?? "").trim().toLowerCase(), query.get("cursor")];
    const { accounts } = await deps.accounts.listAccounts({});
    const found = accounts.filter(({ email }) => email.includes(search)).toReversed();
    const start = cursor === undefined ? 0 : found.findIndex(({ id }) => id < cursor);
    const page = start === -1 ? [] : found.slice(start, start + PAGE_SIZE);
    return sendJson(reply, 200, {
      accounts: await Promise.all(page.map((account) => accountFactsOf(deps, account))),
      total: found.length,
      nextCursor: start !== -1 && start + PAGE_SIZE < found.length ? (page.at(-1)?.id ?? null) : null,
    });
  },
  /** POST /web/v1/operator/accounts. */
  async operatorCreateAccount(context, request, reply) {
    const { email, plan } = request.body as { email: string; plan: string };
    const { account } = await context.deps.accounts.createAccount({ email, plan }).catch(throwKnown);
    tell(context, request, "account_created", account?.id);
    return sendJson(reply, 201, await newLinkOf(context, request, account?.id ?? ""));
  },
  /** PATCH /web/v1/operator/accounts/{id}. */
  async operatorChangeAccount(context, request, reply) {
    const { plan, disabled, operator } = request.body as { plan?: string; disabled?: boolean; operator?: boolean };
    const { accounts } = context.deps;
    const id = accountIdOf(request);
    if (disabled !== undefined || operator !== undefined) checkOther(request, id);
    const account = refOf(id);
    if (plan !== undefined) await accounts.setPlan({ account, plan }).catch(throwKnown);
    if (disabled !== undefined) await accounts.setDisabled({ account, disabled }).catch(throwKnown);
    if (operator !== undefined) await accounts.setOperator({ account, operator }).catch(throwKnown);
    tell(context, request, "account_changed", id, { plan, disabled, operator });
    return reply.code(204).send();
  },
  /** DELETE /web/v1/operator/accounts/{id}. */
  async operatorDeleteAccount(context, request, reply) {
    const id = accountIdOf(request);
    checkOther(request, id);
    await context.deps.accounts.deleteAccount({ account: refOf(id) }).catch(throwKnown);
    tell(context, request, "account_deleted", id);
    return reply.code(204).send();
  },
  /** POST /web/v1/operator/accounts/{id}/link. */
  async operatorLinkAccount(context, request, reply) {
    const id = accountIdOf(request);
    const link = await newLinkOf(context, request, id);
    tell(context, request, "link_made", id);
    return sendJson(reply, 201, link);
  },
} satisfies Handlers;

/** An account with its current usage. */
export async function accountFactsOf({ jobs }: Pick<RestContext["deps"], "jobs">, account: Account) {
  const load = await jobs.getLoad({ accountId: account.id });
  return {
    id: account.id,
    email: account.email,
    plan: account.plan,
    operator: account.operator,
    createdAt: instantOf(account.createdAt),
    disabledAt: instantOf(account.disabledAt),
    unfinishedJobs: load.accountUnfinished,
    storedBytes: Number(load.accountStoredBytes),
    processorSecondsThisHour: Math.ceil(Number(load.accountProcessorMs) / 1000),
  };
}

/** The token is in the fragment, which browsers never send. */
async function newLinkOf(context: RestContext, request: FastifyRequest, id: string) {
  const { token, expiresAt } = await context.deps.signIn.createLink({ account: refOf(id) }).catch(throwKnown);
  return { link: `${requestBaseUrlOf(context, request)}/automate#link=${token}`, expiresAt: instantOf(expiresAt) };
}

function accountIdOf(request: FastifyRequest): string {
  const { id } = request.params as { id: string };
  return id;
}

/** Operators cannot do this to themselves, so that an operator remains who can undo it. Throws BAD_REQUEST. */
function checkOther(request: FastifyRequest, id: string): void {
  if (callerOf(request).account.id === id)
    throw new FilemillError("BAD_REQUEST", "You cannot do this to your own account; ask another operator.");
}

/** Logs which operator changed what. */
function tell({ deps }: RestContext, request: FastifyRequest, event: string, account: string | undefined, change: object = {}): void {
  deps.log.info(`operator.${event}`, { requestId: request.id, by: callerOf(request).account.id, account, ...change });
}
