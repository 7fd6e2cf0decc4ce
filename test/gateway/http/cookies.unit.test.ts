import fastify from "fastify";
import { expect, test } from "vitest";
import { clearCookie, cookieOf, setCookie } from "#gateway/http/cookies.ts";

/** The result of a request with this Cookie header: the session cookie that was read, and the cookies that were set. */
async function visit(publicUrl: string | undefined, cookie: string) {
  const settings = { PUBLIC_URL: publicUrl };
  const app = fastify();
  app.get("/", (request, reply) => {
    setCookie(reply, settings, "filemill_guest", "a-token_1", 60);
    clearCookie(reply, settings, "filemill_oidc");
    return { read: cookieOf(request, settings, "filemill_session") ?? null };
  });
  const answer = await app.inject({ url: "/", headers: { cookie } });
  await app.close();
  return { read: answer.json().read, set: answer.headers["set-cookie"] };
}

test("uses __Host- cookies with Secure if PUBLIC_URL is HTTPS", async () => {
  const { read, set } = await visit("https://files.example.org", "filemill_session=planted; __Host-filemill_session=own");
  expect(read).toBe("own");
  expect(set).toEqual([
    "__Host-filemill_guest=a-token_1; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax",
    "__Host-filemill_oidc=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  ]);
});

test("uses plain cookie names without HTTPS", async () => {
  const { read, set } = await visit(undefined, "a=b; filemill_session=own; __Host-filemill_session=other");
  expect(read).toBe("own");
  expect(set).toContain("filemill_guest=a-token_1; Max-Age=60; Path=/; HttpOnly; SameSite=Lax");
});

test.each(["", "filemill_session=", "filemill_session", "=;=;;", "x=%E0%A4%A"])("reads no session from %j", async (cookie) => {
  expect((await visit(undefined, cookie)).read).toBeNull();
});
