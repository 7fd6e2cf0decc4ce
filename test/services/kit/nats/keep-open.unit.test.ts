import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keepOpen } from "#kit/nats/keep-open.ts";

/** Openings that the test settles, and a connection that it can drop. */
async function setUp() {
  const openings: { reopen(): void; succeed(): void; fail(error: unknown): void }[] = [];
  const failures: unknown[] = [];
  const listeners = new Set<() => void>();
  const link = {
    retry: <T>(request: () => Promise<T>) => request(),
    onReconnect(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const keeper = keepOpen(
    link,
    (reopen) => new Promise((succeed, fail) => openings.push({ reopen, succeed, fail })),
    (error) => failures.push(error),
  );
  const reconnect = (): void => {
    for (const listener of listeners) listener();
  };
  return { openings, failures, listeners, keeper, reconnect };
}

describe("keepOpen", () => {
  it("opens at once, after a reconnect, and when the opener asks", async () => {
    const { openings, keeper, reconnect } = await setUp();
    openings[0]?.succeed();
    await keeper;
    reconnect();
    openings[1]?.succeed();
    await turn();
    openings[1]?.reopen();
    expect(openings).toHaveLength(3);
  });

  it("opens one at a time, and once more for any number of requests meanwhile", async () => {
    const { openings, keeper, reconnect } = await setUp();
    openings[0]?.succeed();
    await keeper;
    for (let count = 0; count < 5; count += 1) reconnect();
    await turn();
    expect(openings).toHaveLength(2);
    openings[1]?.succeed();
    await expect.poll(() => openings.length).toBe(3);
    openings[2]?.succeed();
    await turn();
    expect(openings).toHaveLength(3);
  });

  it("retries until it succeeds and reports each failure", async () => {
    const { openings, failures, keeper, reconnect } = await setUp();
    openings[0]?.succeed();
    await keeper;
    reconnect();
    openings[1]?.fail("away");
    await expect.poll(() => openings.length).toBe(3);
    expect(failures).toEqual(["away"]);
  });

  it("rejects when the first opening fails", async () => {
    const { openings, listeners, keeper } = await setUp();
    openings[0]?.fail(new Error("away"));
    await expect(keeper).rejects.toThrow("away");
    expect(listeners.size).toBe(0);
  });

  it("stops after the current opening and opens nothing more", async () => {
    const { openings, listeners, keeper, reconnect } = await setUp();
    openings[0]?.succeed();
    const { stop } = await keeper;
    reconnect();
    reconnect();
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await turn();
    expect(stopped).toBe(false);
    openings[1]?.succeed();
    await stopping;
    expect(openings).toHaveLength(2);
    expect(listeners.size).toBe(0);
  });
});
