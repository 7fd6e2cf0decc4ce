import { describe, expect, it } from "vitest";
import { createGate } from "#services/conversion/domain/gate.ts";

const never = new AbortController().signal;

describe("a gate", () => {
  it("admits as many as it has slots without waiting, and the rest in order", async () => {
    const gate = createGate(2);
    expect([gate.enter(never), gate.enter(never)]).toEqual([undefined, undefined]);
    const order: string[] = [];
    const third = gate.enter(never)?.then(() => order.push("third"));
    const fourth = gate.enter(never)?.then(() => order.push("fourth"));
    await Promise.resolve();
    expect(order).toEqual([]);
    gate.leave();
    await third;
    expect(order).toEqual(["third"]);
    gate.leave();
    await fourth;
    expect(order).toEqual(["third", "fourth"]);
  });

  it("forgets a waiter that gave up", async () => {
    const gate = createGate(1);
    void gate.enter(never);
    const stop = new AbortController();
    const waiting = gate.enter(stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    gate.leave();
    expect(gate.enter(never)).toBeUndefined();
  });
});
