/** Sent with every answer. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

/** The Retry-After header in whole seconds, from 1 to 3600. */
export function retryAfterOf(ms: number | undefined): string {
  return String(Math.min(Math.max(Math.ceil((ms ?? 0) / 1000), 1), 3600));
}

/** JSON that is safe in a header: everything outside printable ASCII is escaped. */
export function headerJsonOf(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
