import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLedger, type Entry } from "#services/job/domain/ledger.ts";

const entry = fc.record({ payer: fc.constant(""), isGuest: fc.boolean(), isUnfinished: fc.boolean(), bytes: fc.nat(1000) });
/** The payer follows from the job, which always belongs to the same one. */
const steps = fc.array(fc.tuple(fc.nat(8), entry), { maxLength: 60 });

describe("the ledger", () => {
  it("reports the sums of each job's last entry after any sequence of changes", () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const ledger = createLedger();
        const last = new Map<string, Entry>();
        for (const [job, facts] of changes) {
          const isGuest = job % 2 === 0;
          const next = { ...facts, payer: `p${job % 3}${isGuest}`, isGuest };
          ledger.put(`j${job}`, next);
          last.set(`j${job}`, next);
        }
        const sumOf = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);
        for (const payer of new Set([...last.values()].map((each) => each.payer))) {
          const own = [...last.values()].filter((each) => each.payer === payer);
          expect(ledger.storedBytes(payer)).toBe(sumOf(own));
          expect(ledger.unfinishedCount(payer)).toBe(own.filter(({ isUnfinished }) => isUnfinished).length);
        }
        const guests = sumOf([...last.values()].filter(({ isGuest }) => isGuest));
        expect(ledger.totals()).toEqual({ guest: guests, account: sumOf([...last.values()]) - guests });
      }),
    );
  });

  it("counts a hold only beyond what is recorded for the job", () => {
    const ledger = createLedger();
    const running = { payer: "p", isGuest: false, isUnfinished: true, bytes: 10 };
    ledger.put("a", running);
    const letGo = ledger.hold("a", "p", 100);
    expect([ledger.storedBytes("p"), ledger.storedBytes("p", "a"), ledger.storedBytes("q")]).toEqual([100, 0, 0]);
    ledger.put("a", { ...running, isUnfinished: false, bytes: 100 });
    expect(ledger.storedBytes("p")).toBe(100);
    letGo();
    expect(ledger.storedBytes("p")).toBe(100);
  });

  it("keeps the largest hold of a job until its last holder lets go", () => {
    const ledger = createLedger();
    const first = ledger.hold("a", "p", 5);
    const second = ledger.hold("a", "p", 7);
    first();
    expect(ledger.storedBytes("p")).toBe(7);
    second();
    expect(ledger.storedBytes("p")).toBe(0);
  });
});
