import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { createDevices } from "#gateway/access/devices.ts";

const settings = { PUBLIC_URL: undefined };
const devices = createDevices("a-key-of-this-installation", settings);

const requestWith = (cookie: string): FastifyRequest => ({ headers: { cookie: `filemill_device=${cookie}` } }) as FastifyRequest;

/** The cookie after signing in to an account with the previous one. */
function remembered(email: string, before = "", by = devices): string {
  let line = "";
  const header = (_name: string, value: string): void => {
    line = value;
  };
  const reply = { header } as unknown as FastifyReply;
  by.remember(requestWith(before), reply, email);
  if (line === "") return before;
  expect(line).toMatch(/^filemill_device=[\w.-]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/);
  return /=([^;]+)/.exec(line)?.[1] ?? "";
}

test("a browser is recognised only by the account it signed in to, however the email address is spelt", () => {
  const cookie = remembered("zoë@example.org");
  const name = devices.nameOf(requestWith(cookie), "zoë@example.org");
  expect(name).toMatch(/^[\w-]{22}$/);
  expect(devices.nameOf(requestWith(cookie), ` ZOË@Example.org `.normalize("NFD"))).toBe(name);
  expect(devices.nameOf(requestWith(cookie), "ada@example.org")).toBeUndefined();
  expect(devices.nameOf({ headers: {} } as FastifyRequest, "zoë@example.org")).toBeUndefined();
});

test("each browser gets its own name and keeps it when it signs in again", () => {
  const [one, two] = [remembered("a@example.org"), remembered("a@example.org")];
  expect(one).not.toBe(two);
  expect(remembered("a@example.org", one)).toBe(one);
});

test("a browser remembers its last five accounts", () => {
  let cookie = "";
  for (let n = 0; n < 7; n++) cookie = remembered(`a${n}@example.org`, cookie);
  const known = [0, 1, 2, 3, 4, 5, 6].filter((n) => devices.nameOf(requestWith(cookie), `a${n}@example.org`) !== undefined);
  expect(known).toEqual([2, 3, 4, 5, 6]);
});

test("rejects cookies that this installation did not sign", () => {
  const cookie = remembered("a@example.org");
  const other = remembered("a@example.org", "", createDevices("another-key", settings));
  const flipped = (at: number): string => `${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
  for (const forged of [
    other,
    flipped(0),
    flipped(21),
    flipped(22),
    flipped(63),
    cookie.slice(0, -1),
    `${cookie}A`,
    "x",
    "...",
    "a".repeat(65),
  ])
    expect(devices.nameOf(requestWith(forged), "a@example.org")).toBeUndefined();
  expect(devices.nameOf(requestWith(`${"b".repeat(65)}.${cookie}`), "a@example.org")).toBeDefined();
});
