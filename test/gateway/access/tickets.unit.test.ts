import { afterEach, expect, test, vi } from "vitest";
import { createTickets } from "#gateway/access/tickets.ts";

afterEach(() => void vi.useRealTimers());

const upload = { kind: "upload", to: "pdf", options: { pages: "1-2" }, nonce: "n" } as const;
const bearer = "Bearer fm_secret";

test("a ticket opens to what it was issued for and reveals nothing of it", () => {
  const tickets = createTickets("a secret of sixteen");
  const { text, expiresAt } = tickets.issue(upload, bearer, 60_000);
  expect(tickets.open("upload", text)).toEqual({ ticket: upload, authorization: bearer });
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
  expect(Buffer.from(text, "base64url").toString("latin1")).not.toMatch(/fm_secret|pdf/);
  expect(tickets.issue(upload, bearer, 60_000).text).not.toBe(text);
});

test("rejects a ticket of another kind or installation, an expired one and a tampered one", () => {
  vi.useFakeTimers();
  const tickets = createTickets("a secret of sixteen");
  const { text } = tickets.issue(upload, bearer, 60_000);
  const refused = (open: () => unknown): void => expect(open).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  refused(() => tickets.open("download", text));
  refused(() => createTickets("another secret here").open("upload", text));
  const bytes = Buffer.from(text, "base64url");
  for (const at of [0, 11, 12, 40, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    refused(() => tickets.open("upload", changed.toString("base64url")));
  }
  for (const odd of ["", "x", "!", "a".repeat(5000), `${text}.`]) refused(() => tickets.open("upload", odd));
  vi.advanceTimersByTime(60_001);
  refused(() => tickets.open("upload", text));
});

test("rejects a ticket too long for a URL when it is issued", () => {
  const long = { ...upload, options: { text: "x".repeat(4000) } };
  expect(() => createTickets("a secret of sixteen").issue(long, bearer, 1)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
});
