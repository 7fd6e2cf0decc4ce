/** A real OpenID Connect provider on this host, and a browser that signs in with it. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import Provider from "oidc-provider";
import { type BrowserClient, openBrowserClient } from "./browser-client.ts";

export type Person = { readonly email?: string; readonly emailVerified?: boolean };

export type TestProvider = AsyncDisposable & {
  readonly issuer: string;
  /** Starts answering, for a single client whose callback address is now known. */
  serve(callbackUrl: string, people: Readonly<Record<string, Person>>): void;
};

export const clientId = "filemill";
export const clientSecret = "a-secret-between-the-two-of-them";

export async function openTestProvider(): Promise<TestProvider> {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    issuer,
    serve(callbackUrl, people) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callbackUrl] }],
        claims: { openid: ["sub"], email: ["email", "email_verified"] },
        pkce: { required: () => true },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: async () => {
            const { email, emailVerified = true } = people[id] ?? {};
            return { sub: id, ...(email === undefined ? {} : { email, email_verified: emailVerified }) };
          },
        }),
        cookies: { keys: ["of this test"] },
      });
      answer = provider.callback();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Follows the redirects from Filemill to the provider and fills in its forms. Resolves with the address of the redirect back. */
export async function passProvider(issuer: string, authorizationUrl: string, login: string): Promise<string> {
  const atProvider = openBrowserClient(issuer);
  let next = authorizationUrl;
  for (let step = 0; step < 12; step++) {
    if (!next.startsWith(issuer)) return next;
    next = await oneStep(atProvider, issuer, next, login);
  }
  throw new Error("the provider goes round in circles");
}

async function oneStep(browser: BrowserClient, issuer: string, url: string, login: string): Promise<string> {
  const page = await browser.ask("GET", url.slice(issuer.length));
  if (page.status >= 300 && page.status < 400) return new URL(page.headers.get("location") ?? "", issuer).href;
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
  const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
  if (action === undefined || prompt === undefined) throw new Error(`not a form of the provider: ${page.status} ${page.text}`);
  const sent = await browser.submit(new URL(action, issuer).pathname, { prompt, login, password: "any" });
  return new URL(sent.headers.get("location") ?? "", issuer).href;
}
