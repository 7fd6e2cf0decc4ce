import { expect, test } from "vitest";
import { createThrottle, type Throttle } from "#gateway/access/throttle.ts";
import { FilemillError } from "#kit/errors.ts";

const outcome = (call: Promise<void>) =>
  call.then(
    () => "counted",
    (error: unknown) => (error instanceof FilemillError ? error.code : String(error)),
  );

async function tries(throttle: Throttle, count: number, clientOf: (n: number) => string, subjectOf: (n: number) => string) {
  const outcomes: string[] = [];
  for (let n = 0; n < count; n++) outcomes.push(await outcome(throttle.attempt(clientOf(n), subjectOf(n))));
  return outcomes.filter((each) => each === "counted").length;
}

test("one client has eight tries at an account, however its address is spelt, and keeps others out of nothing", async () => {
  const throttle = createThrottle();
  expect(
    await tries(
      throttle,
      20,
      () => "a",
      (n) => (n % 2 === 0 ? "x@example.org" : " X@Example.org"),
    ),
  ).toBe(8);
  expect(await outcome(throttle.attempt("b", "x@example.org"))).toBe("counted");
});

test("one client has thirty tries at all accounts together", async () => {
  expect(
    await tries(
      createThrottle(),
      100,
      () => "a",
      (n) => `x${n}@example.org`,
    ),
  ).toBe(30);
});

test("many clients together have a hundred tries at one account", async () => {
  expect(
    await tries(
      createThrottle(),
      150,
      (n) => `client ${n}`,
      () => "x@example.org",
    ),
  ).toBe(100);
});

test("who was right may err as often again", async () => {
  const throttle = createThrottle();
  for (let round = 0; round < 6; round++) {
    expect(
      await tries(
        throttle,
        4,
        () => "a",
        () => "x@example.org",
      ),
    ).toBe(4);
    await throttle.succeeded("a", "x@example.org");
  }
});

test("tries at the same moment are all counted before any is answered", async () => {
  const throttle = createThrottle();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(throttle.attempt("a", "x@example.org"))));
  expect(outcomes.filter((each) => each === "counted")).toHaveLength(8);
});

test("a refusal says how long to wait", async () => {
  const throttle = createThrottle();
  await tries(
    throttle,
    8,
    () => "a",
    () => "x@example.org",
  );
  await expect(throttle.attempt("a", "x@example.org")).rejects.toMatchObject({
    code: "RATE_LIMITED",
    retryAfterMs: expect.closeTo(900_000, -5),
  });
});
