/** The cookies of Filemill's pages (RFC 6265bis). */
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Whether cookies are for HTTPS alone, which PUBLIC_URL tells: a server behind a proxy does not see it by itself. */
export type CookieSettings = { readonly PUBLIC_URL: string | undefined };

export type CookieName = "filemill_session" | "filemill_guest" | "filemill_oidc" | "filemill_device" | "filemill_language";

/** Undefined where the browser sent none. */
export function cookieOf(request: FastifyRequest, settings: CookieSettings, name: CookieName): string | undefined {
  const header = request.headers.cookie;
  if (header === undefined) return undefined;
  const value = parseCookie(header)[fullNameOf(settings, name)];
  return value === "" ? undefined : value;
}

/** Out of reach of scripts and, but for following a link here, of other sites. */
export function setCookie(reply: FastifyReply, settings: CookieSettings, name: CookieName, value: string, maxAgeSeconds: number): void {
  addCookie(reply, settings, name, value, maxAgeSeconds);
}

export function clearCookie(reply: FastifyReply, settings: CookieSettings, name: CookieName): void {
  addCookie(reply, settings, name, "", 0);
}

function addCookie(reply: FastifyReply, settings: CookieSettings, name: CookieName, value: string, maxAge: number): void {
  const cookie = stringifySetCookie({
    name: fullNameOf(settings, name),
    value,
    maxAge,
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(settings),
  });
  reply.header("set-cookie", cookie);
}

/** `__Host-`: browsers take such a cookie from this very host over HTTPS only, not from a neighbouring subdomain. */
function fullNameOf(settings: CookieSettings, name: CookieName): string {
  return isSecure(settings) ? `__Host-${name}` : name;
}

function isSecure({ PUBLIC_URL }: CookieSettings): boolean {
  return PUBLIC_URL?.startsWith("https:") === true;
}
