/** Endpoints of the operator's page. All of them need an operator's session and answer NOT_FOUND to everybody else. */
import { type Answer, defineEndpoints, type Endpoint, type Parameter, type Schema } from "#gateway/exchange/endpoint.ts";

const own = { unlisted: true, access: "operator" } as const;
const nothing: Answer = { description: "Done." };
const answer = (description: string): Answer => ({ description, mediaType: "application/json", schema: { type: "object" } });

/** A JSON body of these members. */
function json(properties: Readonly<Record<string, Schema>>, required: readonly string[]): NonNullable<Endpoint["body"]> {
  return { mediaType: "application/json", schema: { type: "object", additionalProperties: false, required, properties } };
}

const email: Schema = { type: "string", minLength: 1, maxLength: 320 };
const plan: Schema = { type: "string", minLength: 1, maxLength: 32 };
const id: Parameter = { name: "id", in: "path", required: true, description: "Its id.", schema: { type: "string" } };
const inQuery = (name: string, description: string): Parameter => ({ name, in: "query", description, schema: { type: "string" } });
const changing = ["NOT_FOUND", "CROSS_SITE_REQUEST"] as const;
const aboutAccount = ["ACCOUNT_NOT_FOUND", ...changing] as const;

export const operatorEndpoints = defineEndpoints({
  operatorHouse: {
    ...{
      ...own,
      method: "GET",
      path: "/web/v1/operator/house",
      summary: "Show the state of this deployment: readiness, disk, queue, plans",
    },
    ...{ answers: { 200: answer("Its state.") }, errors: ["NOT_FOUND"] },
  },
  operatorEngines: {
    ...{ ...own, method: "GET", path: "/web/v1/operator/engines", summary: "List the engines with their versions and conversions" },
    ...{ answers: { 200: answer("The engines by name.") }, errors: ["NOT_FOUND"] },
  },
  operatorAccounts: {
    ...{ ...own, method: "GET", path: "/web/v1/operator/accounts", summary: "List accounts with their usage, newest first" },
    parameters: [inQuery("search", "Part of the e-mail address."), inQuery("cursor", "Cursor from an earlier answer.")],
    ...{ answers: { 200: answer("A page of accounts.") }, errors: ["NOT_FOUND"] },
  },
  operatorCreateAccount: {
    ...{ ...own, method: "POST", path: "/web/v1/operator/accounts", summary: "Create an account, with a one-time sign-in link" },
    ...{ body: json({ email, plan }, ["email", "plan"]), answers: { 201: answer("The link, which is shown only once.") } },
    errors: ["ACCOUNT_EXISTS", "PLAN_NOT_FOUND", ...changing],
  },
  operatorChangeAccount: {
    ...{
      ...own,
      method: "PATCH",
      path: "/web/v1/operator/accounts/{id}",
      summary: "Change an account's plan, suspend it, or make it an operator",
    },
    parameters: [id],
    body: json({ plan, disabled: { type: "boolean" }, operator: { type: "boolean" } }, []),
    ...{ answers: { 204: nothing }, errors: ["PLAN_NOT_FOUND", ...aboutAccount] },
  },
  operatorDeleteAccount: {
    ...{ ...own, method: "DELETE", path: "/web/v1/operator/accounts/{id}", summary: "Delete an account and everything it owns" },
    ...{ parameters: [id], answers: { 204: nothing }, errors: aboutAccount },
  },
  operatorLinkAccount: {
    ...{ ...own, method: "POST", path: "/web/v1/operator/accounts/{id}/link", summary: "Create a one-time sign-in link" },
    ...{ parameters: [id], answers: { 201: answer("The link, which is shown only once.") }, errors: aboutAccount },
  },
  operatorJobs: {
    ...{ ...own, method: "GET", path: "/web/v1/operator/jobs", summary: "List jobs of all accounts and guests, newest first" },
    parameters: [
      inQuery("status", "Only jobs in this state."),
      inQuery("limit", "1 to 100."),
      inQuery("cursor", "Cursor from an earlier answer."),
    ],
    ...{ answers: { 200: answer("A page of jobs, without the names of their files.") }, errors: ["NOT_FOUND"] },
  },
  operatorCancelJob: {
    ...{ ...own, method: "POST", path: "/web/v1/operator/jobs/{id}/cancel", summary: "Cancel a job" },
    ...{ parameters: [id], body: json({ accountId: { type: "string", maxLength: 64 } }, ["accountId"]) },
    ...{ answers: { 204: nothing }, errors: ["JOB_NOT_FOUND", ...changing] },
  },
});

export type OperatorEndpointId = keyof typeof operatorEndpoints;
