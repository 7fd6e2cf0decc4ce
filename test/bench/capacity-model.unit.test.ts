/** The model's two methods agree on numbers that can be checked on paper. */
import { describe, expect, it } from "vitest";
import { type Costs, capacityOf, firstFull, randomOf, type Site, simulate, stagesOf } from "./capacity-model.ts";

const costs: Costs = {
  ...{ gatewayMs: 2, catalogueMs: 0.5, jobMs: 4, followMs: 1, brokerMs: 1, workerMs: [100, 300], brokerBytes: 20_000, recordBytes: 2000 },
  idle: { brokerMs: 0.5, brokerBytes: 5000, jobMs: 0, catalogueMs: 0.25 },
};
const site: Site = {
  ...{ gateways: 1, catalogues: 1, jobServices: 1, workers: 10, coresOfWorker: 2, copies: 1 },
  ...{ networkBytes: 1e8, fileBytes: 1e6, keptSeconds: 3600, memoryBytes: 1.44e9 },
};

describe("the capacity model", () => {
  it("divides each part's resources by the cost of a job", () => {
    expect(capacityOf(costs, site)).toEqual({
      ...{ gateways: 500, catalogue: 1995, "job services": 250, broker: 995, "broker's network": 9997.5, workers: 100 },
      ...{ uploads: 50, "job services' memory": 200 },
    });
  });

  it("gains less and less from more job services, since each follows all jobs", () => {
    const of = (jobServices: number) => capacityOf(costs, { ...site, jobServices })["job services"];
    expect([of(1), of(2), of(4)].map(Math.round)).toEqual([250, 400, 571]);
    expect(of(1000)).toBeLessThan(1000 / costs.followMs);
  });

  it("subtracts the cost of idle workers", () => {
    expect(capacityOf(costs, { ...site, workers: 1000 }).broker).toBe(500);
    expect(capacityOf(costs, { ...site, workers: 3000 }).broker).toBe(0);
  });

  it("names the part that saturates first", () => {
    expect(firstFull(costs, site)).toEqual({ part: "uploads", perSecond: 50 });
    expect(firstFull(costs, { ...site, fileBytes: 1000 })).toEqual({ part: "workers", perSecond: 100 });
    expect(firstFull(costs, { ...site, fileBytes: 1000, workers: 1000 }).part).toBe("job services' memory");
  });
});

describe("the simulation", () => {
  it.each([
    ["workers", { ...site, workers: 10 }],
    ["job services", { ...site, workers: 200 }],
  ] as const)("agrees that %s saturate first", (part, some) => {
    const limit = capacityOf(costs, some)[part];
    const at = (share: number) => {
      const random = randomOf(1);
      return simulate(stagesOf(costs, some, random), limit * share, 20_000, random);
    };
    expect(at(0.9).done).toBeGreaterThan(0.99);
    expect(at(1.2)).toMatchObject({ part });
    expect(at(1.2).done).toBeLessThan(0.86);
    expect(at(1.2).waitMs).toBeGreaterThan(10 * at(0.9).waitMs);
  });

  it("is deterministic for a seed", () => {
    const [one, same, other] = [randomOf(7), randomOf(7), randomOf(8)];
    const first = one();
    expect([same() === first, other() === first]).toEqual([true, false]);
  });
});
