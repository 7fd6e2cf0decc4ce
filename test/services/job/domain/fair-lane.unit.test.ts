import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairLane, type FairLane, type Readiness } from "#services/job/domain/fair-lane.ts";

const allReady: Readiness = { isDue: () => true, isLapsed: () => false, beginning: () => 0 };

type Facts = { readonly running: number; readonly queued: number; readonly turn: number; readonly isGuest?: boolean };

/** Accounts `a0`, `a1`, …; their job ids interleave, like those of jobs created at the same time. */
function laneOf(accounts: readonly Facts[]): { lane: FairLane; owner: Map<string, string> } {
  const lane = createFairLane();
  const owner = new Map<string, string>();
  for (const [index, { running, queued, turn, isGuest }] of accounts.entries()) {
    const account = `a${index}`;
    if (turn > 0) lane.served(account, turn);
    for (let job = 0; job < running; job += 1) lane.put(`0-${account}-${job}`, account, "running", isGuest);
    for (let job = 0; job < queued; job += 1) {
      const id = `1-${String(job).padStart(3, "0")}-${account}`;
      owner.set(id, account);
      lane.put(id, account, "queued", isGuest);
    }
  }
  return { lane, owner };
}

/** Starts everything queued, as unlimited workers would. */
function drain(lane: FairLane, owner: ReadonlyMap<string, string>): string[] {
  const order: string[] = [];
  for (let id = lane.next(allReady)?.jobId; id !== undefined; id = lane.next(allReady)?.jobId) {
    const account = owner.get(id) ?? "";
    lane.put(id, account, "running");
    lane.served(account, 1000 + order.length);
    order.push(id);
  }
  return order;
}

const facts = fc.record({ running: fc.nat(3), queued: fc.nat(6), turn: fc.nat(50), isGuest: fc.boolean() });
const someAccounts = fc.uniqueArray(facts, { minLength: 1, maxLength: 6, selector: ({ turn }) => turn });

describe("the next job", () => {
  it("covers every job once, in order within each account and at the position it reported", () => {
    fc.assert(
      fc.property(someAccounts, (accounts) => {
        const { lane, owner } = laneOf(accounts);
        const places = [...owner].map(([id, account]) => [id, lane.position(id, account)] as const);
        const order = drain(lane, owner);
        expect(order.toSorted()).toEqual([...owner.keys()].toSorted());
        for (const account of new Set(owner.values())) {
          const own = order.filter((id) => owner.get(id) === account);
          expect(own).toEqual(own.toSorted());
        }
        for (const [id, place] of places) expect(order.indexOf(id) + 1).toBe(place);
      }),
    );
  });

  it("belongs to an account before 40 guests with as few running jobs, but not once it has more", () => {
    const lane = createFairLane();
    for (let address = 0; address < 40; address += 1) lane.put(`1-${address}`, `address_${address}`, "queued", true);
    lane.put("2-a", "a", "queued");
    lane.put("2-b", "a", "queued");
    expect([lane.position("2-a", "a"), lane.next(allReady)]).toEqual([1, { jobId: "2-a", isIdleAccount: true }]);
    lane.put("2-a", "a", "running");
    expect([lane.position("2-b", "a"), lane.next(allReady)?.jobId.startsWith("1-")]).toEqual([41, true]);
  });

  it("makes a job wait for at most one job of each other account with as many running", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }), fc.nat(1000), (queues, turn) => {
        const { lane, owner } = laneOf([...queues.map((queued) => ({ running: 0, queued, turn: 0 })), { running: 0, queued: 1, turn }]);
        expect(lane.position(`1-000-a${queues.length}`, `a${queues.length}`)).toBeLessThanOrEqual(queues.length + 1);
        expect(owner.size).toBe(lane.queuedCount);
      }),
    );
  });

  it("alternates between two accounts even if one has nothing queued after each turn", () => {
    const lane = createFairLane();
    const served: string[] = [];
    for (let job = 0; job < 10; job += 1) lane.put(`b${job}`, "B", "queued");
    for (let turn = 1; turn <= 8; turn += 1) {
      lane.put(`a${turn}`, "A", "queued");
      const id = lane.next(allReady)?.jobId ?? "";
      const account = id.startsWith("a") ? "A" : "B";
      lane.put(id, account, "gone");
      lane.served(account, turn);
      served.push(account);
    }
    expect(served.slice(1).filter((account, index) => account === served[index])).toEqual([]);
  });
});

describe("what can start", () => {
  it("excludes a job that is not due and prefers one that lost its worker", () => {
    const lane = createFairLane();
    for (const id of ["q1", "q2"]) lane.put(id, "A", "queued");
    lane.put("r1", "A", "running");
    expect(lane.next({ ...allReady, isDue: (id) => id !== "q1" })).toEqual({ jobId: "q2", isIdleAccount: false });
    expect(lane.next({ ...allReady, isLapsed: (id) => id === "r1" })).toEqual({ jobId: "r1", isIdleAccount: true });
    expect(lane.next({ ...allReady, isDue: () => false })).toBeUndefined();
  });

  it("takes into account attempts that are starting right now", () => {
    const lane = createFairLane();
    for (const [id, account] of [
      ["q1", "A"],
      ["q2", "A"],
      ["q3", "B"],
    ] as const)
      lane.put(id, account, "queued");
    expect(lane.next(allReady)).toEqual({ jobId: "q1", isIdleAccount: true });
    const readiness = { ...allReady, isDue: (id: string) => id !== "q1", beginning: (account: string) => (account === "A" ? 1 : 0) };
    expect(lane.next(readiness)?.jobId).toBe("q3");
    lane.put("q3", "B", "gone");
    expect(lane.next({ ...readiness, isDue: (id) => id === "q2" })).toEqual({ jobId: "q2", isIdleAccount: false });
  });
});
