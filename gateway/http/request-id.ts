import { randomUUID } from "node:crypto";

/** The client's X-Request-Id if it is 1–128 characters of [A-Za-z0-9._-], otherwise a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID();
}
