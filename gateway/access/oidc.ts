/**
 * Sign-in with an OpenID Connect provider: authorization code with PKCE, state and nonce (OpenID Connect Core §3.1, RFC 7636, RFC 9700).
 */
import * as client from "openid-client";
import { FilemillError } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import { SettingError } from "#kit/config.ts";
import { isLoopback } from "#kit/loopback.ts";
import type { Settings } from "#kit/settings.ts";

export type OidcSettings = Pick<
  Settings,
  "OIDC_ISSUER" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET" | "OIDC_LABEL" | "OIDC_PLAN" | "OIDC_ALLOWED_DOMAINS"
>;

/** What the browser keeps between start and callback. It binds the provider's answer to the browser that started the sign-in. */
export type Flow = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** The user's identity according to the provider. */
export type ProvenIdentity = { readonly issuer: string; readonly subject: string; readonly email: string; readonly emailVerified: boolean };

export type Oidc = {
  readonly label: string;
  /** Plan of new accounts. */
  readonly plan: string;
  /** The URL to send the browser to. Rejects with UNAVAILABLE if the provider does not answer. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly flow: Flow }>;
  /** @param callbackUrl - The full URL that the browser returned to. Rejects with INVALID_CREDENTIALS or UNAVAILABLE. */
  finish(callbackUrl: URL, flow: Flow): Promise<ProvenIdentity>;
};

const discoveryLifeMs = 3_600_000;
const timeoutSeconds = 10;

/** Undefined if no provider is set. Throws SettingError if settings contradict each other. Does not contact the provider yet. */
export function createOidc(settings: OidcSettings): Oidc | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = settings;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw new SettingError("OIDC_CLIENT_ID must be set together with OIDC_ISSUER.");
  const server = new URL(issuer);
  const isInsecure = server.protocol === "http:";
  if (isInsecure && !isLoopback(server.hostname)) throw new SettingError("OIDC_ISSUER must be an https URL unless it is on this host.");
  const domains = domainsOf(settings.OIDC_ALLOWED_DOMAINS);
  const configuration = keptFor(discoveryLifeMs, () =>
    client.discovery(server, clientId, undefined, authenticationBy(secret), {
      timeout: timeoutSeconds,
      // Checks the signature even though the token comes from the provider over TLS, because it costs next to nothing.
      execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
    }),
  );
  return {
    label: settings.OIDC_LABEL,
    plan: settings.OIDC_PLAN,
    async begin(redirectUri) {
      const flow = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
      const url = client.buildAuthorizationUrl(await configuration().catch(unreachable), {
        redirect_uri: redirectUri,
        scope: "openid email",
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, flow };
    },
    async finish(callbackUrl, flow) {
      const identity = await identityFrom(await configuration().catch(unreachable), callbackUrl, flow).catch(refused);
      if (domains !== undefined && !(identity.emailVerified && domains.has(domainOf(identity.email))))
        throw new FilemillError(
          "INVALID_CREDENTIALS",
          "Your e-mail address is not allowed to sign in here; ask the operator of this server.",
        );
      return identity;
    },
  };
}

/**
 * Rejects with SettingError if the plan for new accounts does not exist. Does not wait for an account service that is not answering yet,
 * because the plan is looked up again for each new account.
 */
export async function checkPlanOfNewAccounts(oidc: Oidc | undefined, accounts: Pick<GatewayDeps["accounts"], "listPlans">): Promise<void> {
  if (oidc === undefined) return;
  const answer = await accounts.listPlans({}, { timeoutMs: timeoutSeconds * 1000 }).catch(() => undefined);
  const plans = answer?.plans.map(({ id }) => id);
  if (plans?.includes(oidc.plan) === false)
    throw new SettingError(`OIDC_PLAN must be one of this deployment's plans (${plans.join(", ")}), not "${oidc.plan}".`);
}

async function identityFrom(configuration: client.Configuration, callbackUrl: URL, flow: Flow): Promise<ProvenIdentity> {
  const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("no ID token");
  // Most providers return the e-mail address only from the UserInfo endpoint (OpenID Connect Core §5.4).
  const told = claims.email === undefined ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof told.email === "string" ? told.email : "",
    emailVerified: told.email_verified === true,
  };
}

/** Uses the method that the provider supports. Without a secret, PKCE alone binds the code to this client. */
function authenticationBy(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const method = methods === undefined || methods.includes("client_secret_basic") ? basic : post;
    method(server, metadata, body, headers);
  };
}

/** Caches the last answer for `lifeMs`. Concurrent callers share one request, and a failed request is not cached. */
function keptFor<T>(lifeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (kept === undefined || performance.now() - askedAt > lifeMs) {
      askedAt = performance.now();
      const asked = ask();
      asked.catch(() => {
        if (kept === asked) kept = undefined;
      });
      kept = asked;
    }
    return kept;
  };
}

function unreachable(cause: unknown): never {
  throw new FilemillError("UNAVAILABLE", "The identity provider does not answer; try again.", { retryAfterMs: 5000, cause });
}

function refused(cause: unknown): never {
  throw new FilemillError("INVALID_CREDENTIALS", "The identity provider refused the sign-in; try again.", { cause });
}

function domainsOf(list: string | undefined): ReadonlySet<string> | undefined {
  return list === undefined ? undefined : new Set(list.split(",").map((domain) => domain.trim().toLowerCase()));
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1).toLowerCase();
}
