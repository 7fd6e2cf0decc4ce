import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openLog } from "#kit/log.ts";
import { createProbe } from "#kit/probe.ts";
import { notReady, readinessOf } from "#kit/readiness.ts";
import type { Readiness, Service } from "#kit/service.ts";

const log = openLog("silent");
const day = 86_400_000;

test("a thousand concurrent checks make one round trip", async () => {
  let trips = 0;
  const probe = createProbe("part", async () => ++trips, log, { limitMs: day, freshMs: day });
  expect(new Set(await Promise.all(Array.from({ length: 1000 }, () => probe.isWell())))).toEqual(new Set([true]));
  expect(await probe.isWell()).toBe(true);
  expect(trips).toBe(1);
});

test("a part that recovers is reported as healthy again", async () => {
  let isBroken = true;
  const tryOut = async () => {
    if (isBroken) throw new Error("broken");
  };
  const probe = createProbe("part", tryOut, log, { limitMs: day });
  expect(await probe.isWell()).toBe(false);
  isBroken = false;
  await expect.poll(() => probe.isWell()).toBe(true);
});

test("a hanging round trip fails after its limit and is not started twice", async () => {
  let trips = 0;
  const never = () => {
    trips += 1;
    return new Promise(() => undefined);
  };
  const probe = createProbe("part", never, log, { limitMs: 10 });
  await expect.poll(() => probe.isWell()).toBe(false);
  await sleep(600);
  expect(await probe.isWell()).toBe(false);
  expect(trips).toBe(1);
});

test("every failing part is listed once, and a degraded sandbox is reported", async () => {
  const service = (readiness: Readiness): Service => ({
    name: "service",
    routes: () => undefined,
    start: async () => undefined,
    drain: async () => undefined,
    readiness: () => readiness,
    probes: () => [probe("scratch", false), probe("sandbox", true)],
    [Symbol.asyncDispose]: async () => undefined,
  });
  const probe = (part: string, isWell: boolean) => ({ part, isWell: async () => isWell });
  const services = [service({ ready: true, sandbox: "degraded" }), service(notReady("engines"))];
  expect(await readinessOf(services, [probe("broker", false), probe("blobs", true)])).toEqual({
    ready: false,
    part: "engines",
    parts: ["engines", "broker", "scratch"],
    sandbox: "degraded",
  });
  expect(await readinessOf([], [probe("blobs", true)])).toEqual({ ready: true });
});
