import { expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { createPeers } from "#gateway/access/peers.ts";
import { createThrottle, type Throttle, type Try } from "#gateway/access/throttle.ts";

const alone = createPeers(undefined);

const outcome = (call: Promise<void>) =>
  call.then(
    () => "counted",
    (error: unknown) => (error instanceof FilemillError ? error.code : String(error)),
  );

async function tries(throttle: Throttle, count: number, tryOf: (n: number) => Try) {
  let counted = 0;
  for (let n = 0; n < count; n++) if ((await outcome(throttle.attempt(tryOf(n)))) === "counted") counted += 1;
  return counted;
}

const subject = "x@example.org";

test("one client has eight attempts at an account, however the address is spelt, and does not lock others out", async () => {
  const throttle = createThrottle(alone);
  const spellings = ["zoë@example.org", " ZOË@Example.org", "zoë@example.org".normalize("NFD")];
  expect(await tries(throttle, 21, (n) => ({ client: "a", subject: spellings[n % 3] ?? "" }))).toBe(8);
  expect(await outcome(throttle.attempt({ client: "b", subject: "zoë@example.org" }))).toBe("counted");
});

test("one client has thirty attempts across all accounts", async () => {
  expect(await tries(createThrottle(alone), 100, (n) => ({ client: "a", subject: `x${n}@example.org` }))).toBe(30);
});

test("attempts by many clients at one account are delayed, twice as long each time, up to five minutes", async () => {
  let nowMs = 0;
  const throttle = createThrottle(alone, () => nowMs);
  expect(await tries(throttle, 500, (n) => ({ client: `client ${n}`, subject }))).toBe(10);
  const waits: number[] = [];
  for (let n = 0; n < 14; n++) {
    const refusal: unknown = await throttle.attempt({ client: `late ${n}`, subject }).catch((error: unknown) => error);
    const waitMs = refusal instanceof FilemillError ? (refusal.retryAfterMs ?? 0) : 0;
    waits.push(waitMs / 1000);
    nowMs += waitMs - 1;
    expect(await outcome(throttle.attempt({ client: `early ${n}`, subject }))).toBe("RATE_LIMITED");
    nowMs += 1;
    expect(await outcome(throttle.attempt({ client: `next ${n}`, subject }))).toBe("counted");
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 300]);
  expect(await outcome(throttle.attempt({ client: "a", subject: "another@example.org" }))).toBe("counted");
  nowMs += 3_600_000;
  expect(await tries(throttle, 20, (n) => ({ client: `day ${n}`, subject }))).toBe(10);
});

test("a delayed attempt does not count against its client", async () => {
  let nowMs = 0;
  const throttle = createThrottle(alone, () => nowMs);
  await tries(throttle, 10, (n) => ({ client: `client ${n}`, subject }));
  expect(await tries(throttle, 50, () => ({ client: "owner", subject }))).toBe(0);
  nowMs += 1000;
  expect(await outcome(throttle.attempt({ client: "owner", subject }))).toBe("counted");
});

test("a known browser is not locked out by strangers and has its own ten attempts", async () => {
  const throttle = createThrottle(alone);
  await tries(throttle, 500, (n) => ({ client: `client ${n % 20}`, subject }));
  const known = { client: "client 1", subject, device: "d" };
  expect(await outcome(throttle.attempt({ client: "client 1", subject }))).toBe("RATE_LIMITED");
  expect(await tries(throttle, 20, () => known)).toBe(10);
  expect(await outcome(throttle.attempt({ ...known, device: "another" }))).toBe("counted");
});

test("attempts from known browsers do not slow down other clients", async () => {
  const throttle = createThrottle(alone);
  await tries(throttle, 50, (n) => ({ client: "a", subject, device: `device ${n % 9}` }));
  expect(await outcome(throttle.attempt({ client: "b", subject }))).toBe("counted");
});

test.each([undefined, "d"])("a successful sign-in resets the attempts (device %s)", async (device) => {
  const throttle = createThrottle(alone);
  const mine = { client: "a", subject, device };
  for (let round = 0; round < 6; round++) {
    expect(await tries(throttle, 4, () => mine)).toBe(4);
    await throttle.succeeded(mine);
  }
});

test("concurrent attempts are all counted before any of them is answered", async () => {
  const one = createThrottle(alone);
  const same = await Promise.all(Array.from({ length: 20 }, () => outcome(one.attempt({ client: "a", subject }))));
  expect(same.filter((each) => each === "counted")).toHaveLength(8);
  const many = createThrottle(alone);
  const all = await Promise.all(Array.from({ length: 50 }, (_, n) => outcome(many.attempt({ client: `${n}`, subject }))));
  expect(all.filter((each) => each === "counted")).toHaveLength(10);
});

test("attempts at an unguessable token are limited per client only", async () => {
  const throttle = createThrottle(alone);
  for (let client = 0; client < 13; client++)
    for (let n = 0; n < 8; n++) expect(await outcome(throttle.token(`client ${client}`))).toBe("counted");
  for (let n = 0; n < 100; n++) await outcome(throttle.token("busy"));
  expect(await outcome(throttle.token("busy"))).toBe("RATE_LIMITED");
  expect(await outcome(throttle.token("owner"))).toBe("counted");
});

test("a signed-in user has ten attempts at the password per session", async () => {
  const throttle = createThrottle(alone);
  const outcomes: string[] = [];
  for (let n = 0; n < 12; n++) outcomes.push(await outcome(throttle.confirm("a")));
  expect(outcomes.filter((each) => each === "counted")).toHaveLength(10);
  expect(await outcome(throttle.confirm("b"))).toBe("counted");
  await throttle.confirmed("a");
  expect(await outcome(throttle.confirm("a"))).toBe("counted");
});

test("a refusal says how long to wait", async () => {
  const throttle = createThrottle(alone);
  await tries(throttle, 8, () => ({ client: "a", subject }));
  await expect(throttle.attempt({ client: "a", subject })).rejects.toMatchObject({
    code: "RATE_LIMITED",
    retryAfterMs: expect.closeTo(900_000, -5),
  });
});
