import { describe, expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import { catalogueOf } from "#services/catalogue/index.ts";
import { createOneOffConverter } from "#services/conversion/adapters/one-off-converter.ts";
import { defineEngine, type Engine } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { noInspector } from "#test/services/conversion/inspectors/test-inspectors.ts";

/** The engines of these tests run nothing in it. */
const sandbox: Sandbox = {
  mode: "full",
  run: () => Promise.reject(new Error("not here")),
  spawn: () => Promise.reject(new Error("not here")),
  openScratch: () => Promise.reject(new Error("not here")),
};

/** Engines that record what is done with them: `cost` decides the preference, and without a version an engine is absent. */
function setUp(
  tools: readonly { readonly id: string; readonly from: string; readonly to: string; readonly cost: number; readonly version?: string }[],
) {
  const events: string[] = [];
  const engines: Engine[] = tools.map(({ id, from, to, cost, version }) =>
    defineEngine({
      id,
      label: id,
      lane: "image",
      packages: [],
      badInput: [],
      hops: [{ from, to, fidelity: "high", cost, async: false, maxInputMb: 1, options: [] }],
      async probe(given) {
        expect(given).toBe(sandbox);
        events.push(`probe ${id}`);
        return version;
      },
      async open() {
        events.push(`open ${id}`);
        return {
          run: async () => void events.push(`run ${id}`),
          [Symbol.asyncDispose]: async () => void events.push(`close ${id}`),
        };
      },
    }),
  );
  const converter = createOneOffConverter({
    sandbox,
    inspector: noInspector,
    engines,
    workDir: "/nowhere",
    slots: { image: 1, document: 1, office: 1, media: 1 },
    timeoutMs: 1000,
    log: openLog("silent"),
    unlock: async () => undefined,
    inspect: async () => undefined,
    checkResult: async () => undefined,
    metadata: async () => undefined,
    count: async () => undefined,
  });
  const plan = (from: string, to: string) => converter.plan((manifest) => catalogueOf([manifest]).plan({ from, to, options: {} }));
  return { converter, events, plan };
}

const best = { id: "best", from: "png", to: "webp", cost: 1, version: "1" };
const second = { ...best, id: "second", cost: 2 };
const other = { id: "other", from: "pdf", to: "txt", cost: 1, version: "1" };

describe("a one-off converter", () => {
  it("probes only the engines of the plan and opens none before it runs", async () => {
    const { converter, events, plan } = setUp([best, second, other]);
    const { hops } = await plan("png", "webp");
    expect(hops.map(({ engine }) => engine)).toEqual(["best"]);
    expect(events).toEqual(["probe best"]);
    await converter[Symbol.asyncDispose]();
    expect(events).toEqual(["probe best"]);
  });

  it("plans around an engine that turns out to be absent", async () => {
    const { version: _none, ...absent } = best;
    const { events, plan } = setUp([absent, second, other]);
    const { hops } = await plan("png", "webp");
    expect(hops.map(({ engine }) => engine)).toEqual(["second"]);
    expect(events).toEqual(["probe best", "probe second"]);
    // It is probed only once.
    await plan("png", "webp");
    expect(events).toHaveLength(2);
  });

  it("rejects like the planner if every suitable engine is absent", async () => {
    const { version: _none, ...absent } = best;
    await expect(setUp([absent, other]).plan("png", "webp")).rejects.toMatchObject({ code: "UNSUPPORTED_TARGET" });
    await expect(setUp([absent]).plan("png", "webp")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("probes every engine when all are listed", async () => {
    const { version: _none, ...absent } = second;
    const { converter, events } = setUp([best, absent]);
    expect(await converter.engines()).toMatchObject([
      { id: "best", version: "1" },
      { id: "second", version: undefined },
    ]);
    expect(events.toSorted()).toEqual(["probe best", "probe second"]);
  });
});
