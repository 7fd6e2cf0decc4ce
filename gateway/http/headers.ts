/** Headers that every answer carries. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
} as const;

/** Retry-After in whole seconds, at least 1 and at most an hour. */
export function retryAfterOf(ms: number | undefined): string {
  return String(Math.min(Math.max(Math.ceil((ms ?? 0) / 1000), 1), 3600));
}

/** JSON that may stand in a header: everything outside printable ASCII is escaped. */
export function headerJsonOf(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
