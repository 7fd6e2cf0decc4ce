/** Endpoints for people and their keys that only Filemill's own pages use. */
import { type Answer, defineEndpoints, type Endpoint, type Parameter, type Schema } from "#gateway/exchange/endpoint.ts";

type Members = Readonly<Record<string, Schema>>;

const text = (maxLength: number, minLength = 0): Schema => ({ type: "string", minLength, maxLength });
const email = text(320, 1);
const password = text(1024);

/** Strings by name. */
const texts = (maxProperties: number): Schema => ({ type: "object", maxProperties, additionalProperties: text(500) });

/** A JSON body with exactly these members. */
function json(members: Members, optional: readonly string[] = []): NonNullable<Endpoint["body"]> {
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  return { mediaType: "application/json", schema: { type: "object", additionalProperties: false, required, properties: members } };
}

const answer = (description: string): Answer => ({ description, mediaType: "application/json", schema: { type: "object" } });
const nothing: Answer = { description: "Done." };
const keyId: Parameter = { name: "id", in: "path", required: true, description: "The key's id.", schema: { type: "string" } };

const jobId: Parameter = { name: "id", in: "path", required: true, description: "The job's id.", schema: { type: "string" } };
const linkId: Parameter = { name: "link", in: "path", required: true, description: "The link's id.", schema: { type: "string" } };

const own = { unlisted: true } as const;

export const accountEndpoints = defineEndpoints({
  me: {
    ...{ ...own, method: "GET", path: "/web/v1/me", summary: "Show who is signed in, and their limits", access: "public" },
    ...{ answers: { 200: answer("The account or the guest.") }, errors: [] },
  },
  signUp: {
    ...{ ...own, method: "POST", path: "/web/v1/sign-up", summary: "Create an account", access: "public" },
    ...{ body: json({ email, password }), answers: { 201: answer("The signed-in account.") } },
    errors: ["SIGN_UP_CLOSED", "ACCOUNT_EXISTS", "RATE_LIMITED", "CROSS_SITE_REQUEST"],
  },
  signIn: {
    ...{ ...own, method: "POST", path: "/web/v1/sign-in", summary: "Sign in with a password", access: "public" },
    ...{ body: json({ email, password }), answers: { 200: answer("The account.") } },
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "CROSS_SITE_REQUEST"],
  },
  signInByLink: {
    ...{ ...own, method: "POST", path: "/web/v1/sign-in/link", summary: "Sign in with a one-time link", access: "public" },
    ...{ body: json({ token: text(128, 1) }), answers: { 200: answer("The account.") } },
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "CROSS_SITE_REQUEST"],
  },
  signOut: {
    ...{ ...own, method: "POST", path: "/web/v1/sign-out", summary: "Sign out", access: "public" },
    ...{ answers: { 204: nothing }, errors: ["CROSS_SITE_REQUEST"] },
  },
  signOutEverywhere: {
    ...{ ...own, method: "POST", path: "/web/v1/sign-out-everywhere", summary: "Sign out everywhere", access: "session" },
    ...{ answers: { 204: nothing }, errors: ["SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"] },
  },
  setPassword: {
    ...{ ...own, method: "POST", path: "/web/v1/password", summary: "Set a password", access: "session" },
    ...{ body: json({ current: password, next: password }, ["current"]), answers: { 204: nothing } },
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"],
  },
  deleteMe: {
    ...{ ...own, method: "DELETE", path: "/web/v1/me", summary: "Delete the account and everything it owns", access: "session" },
    ...{ body: json({ password, email }, ["password", "email"]), answers: { 204: nothing } },
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"],
  },
  oidcStart: {
    ...{ ...own, method: "GET", path: "/auth/oidc/start", summary: "Sign in with the identity provider", access: "public" },
    ...{ answers: { 303: { description: "Redirects to the provider." } }, errors: ["NOT_FOUND"] },
  },
  oidcCallback: {
    ...{ ...own, method: "GET", path: "/auth/oidc/callback", summary: "Return from the identity provider", access: "public" },
    ...{ answers: { 303: { description: "Redirects to the page." } }, errors: ["NOT_FOUND"] },
  },
  listResultLinks: {
    ...{ ...own, method: "GET", path: "/web/v1/jobs/{id}/links", summary: "List the share links of a result", access: "session" },
    ...{ parameters: [jobId], answers: { 200: answer("The share links that still work.") }, errors: ["JOB_NOT_FOUND", "SIGN_IN_REQUIRED"] },
  },
  createResultLink: {
    ...{ ...own, method: "POST", path: "/web/v1/jobs/{id}/links", summary: "Create a share link for a result", access: "session" },
    parameters: [jobId],
    body: json(
      { lifeSeconds: { type: "integer", minimum: 60, maximum: 2_592_000 }, maxDownloads: { type: "integer", minimum: 0, maximum: 1000 } },
      ["maxDownloads"],
    ),
    answers: { 201: answer("The link.") },
    errors: ["NOT_FOUND", "JOB_NOT_FOUND", "JOB_NOT_DONE", "RESULT_EXPIRED", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"],
  },
  revokeResultLink: {
    ...{ ...own, method: "DELETE", path: "/web/v1/jobs/{id}/links/{link}", summary: "Revoke a link", access: "session" },
    ...{ parameters: [jobId, linkId], answers: { 204: nothing }, errors: ["JOB_NOT_FOUND", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"] },
  },
  getPresets: {
    ...{ ...own, method: "GET", path: "/web/v1/presets", summary: "List the account's presets", access: "session" },
    ...{ answers: { 200: answer("Options by preset name, and the defaults.") }, errors: ["SIGN_IN_REQUIRED"] },
  },
  setPresets: {
    ...{ ...own, method: "POST", path: "/web/v1/presets", summary: "Replace the account's presets", access: "session" },
    body: json({
      presets: { type: "object", maxProperties: 200, additionalProperties: texts(40) },
      defaults: texts(1000),
    }),
    ...{ answers: { 204: nothing }, errors: ["SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"] },
  },
  listKeys: {
    ...{ ...own, method: "GET", path: "/web/v1/keys", summary: "List the account's keys", access: "session" },
    ...{ answers: { 200: answer("The keys, newest first.") }, errors: ["SIGN_IN_REQUIRED"] },
  },
  createKey: {
    ...{ ...own, method: "POST", path: "/web/v1/keys", summary: "Create a key", access: "session" },
    body: json(
      {
        name: text(400),
        scopes: { type: "array", minItems: 1, maxItems: 2, uniqueItems: true, items: { enum: ["convert", "read"] } },
        expiresAt: { anyOf: [{ type: "null" }, text(40)] },
      },
      ["scopes", "expiresAt"],
    ),
    answers: { 201: answer("The key and its secret, which is shown only once.") },
    errors: ["NOT_ENTITLED", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"],
  },
  renameKey: {
    ...{ ...own, method: "PATCH", path: "/web/v1/keys/{id}", summary: "Rename a key", access: "session", parameters: [keyId] },
    ...{ body: json({ name: text(400) }), answers: { 200: answer("The key.") } },
    errors: ["KEY_NOT_FOUND", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"],
  },
  revokeKey: {
    ...{ ...own, method: "DELETE", path: "/web/v1/keys/{id}", summary: "Revoke a key", access: "session", parameters: [keyId] },
    ...{ answers: { 204: nothing }, errors: ["KEY_NOT_FOUND", "SIGN_IN_REQUIRED", "CROSS_SITE_REQUEST"] },
  },
});

export type AccountEndpointId = keyof typeof accountEndpoints;
