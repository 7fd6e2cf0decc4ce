/** The cookies of Filemill's pages (RFC 6265bis). */
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Cookies are HTTPS-only if PUBLIC_URL is https. Behind a proxy, the server cannot detect HTTPS itself. */
export type CookieSettings = { readonly PUBLIC_URL: string | undefined };

export type CookieName = "filemill_session" | "filemill_guest" | "filemill_oidc" | "filemill_device" | "filemill_language";

/** Undefined if the browser sent no such cookie. */
export function cookieOf(request: FastifyRequest, settings: CookieSettings, name: CookieName): string | undefined {
  const header = request.headers.cookie;
  if (header === undefined) return undefined;
  const value = parseCookie(header)[fullNameOf(settings, name)];
  return value === "" ? undefined : value;
}

/** Sets a cookie that scripts cannot read. Other sites' requests do not carry it, except links to this site. */
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

/** Browsers accept a `__Host-` cookie only from this exact host over HTTPS, not from a sibling subdomain. */
function fullNameOf(settings: CookieSettings, name: CookieName): string {
  return isSecure(settings) ? `__Host-${name}` : name;
}

function isSecure({ PUBLIC_URL }: CookieSettings): boolean {
  return PUBLIC_URL?.startsWith("https:") === true;
}
