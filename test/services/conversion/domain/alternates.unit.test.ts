import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type ErrorCode, FilemillError } from "#contract/errors.ts";
import { type Plan, PlanSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { type NextBestQuery, runWithAlternates } from "#services/conversion/domain/alternates.ts";
import type { Hop, HopTask } from "#services/conversion/domain/engine.ts";
import { EngineFault, type FaultKind, LacksContent } from "#services/conversion/domain/failure.ts";
import type { RunPorts } from "#services/conversion/domain/run-plan.ts";

const hop = (from: string, to: string): Hop => ({ from, to, fidelity: "high", cost: 1, async: false, maxInputMb: 1, options: [] });
const planOf = (fidelity: Fidelity, ...hops: readonly [engine: string, from: string, to: string][]): Plan =>
  create(PlanSchema, { from: "a", to: "c", fidelity, hops: hops.map(([engine, from, to]) => ({ engine, from, to, options: {} })) });

const first = planOf(Fidelity.HIGH, ["one", "a", "c"]);
const second = planOf(Fidelity.HIGH, ["two", "a", "b"], ["three", "b", "c"]);
const third = planOf(Fidelity.REDUCED, ["four", "a", "c"]);

/** What each engine does; engines not listed succeed. */
type Faults = Readonly<Record<string, (task: HopTask) => unknown>>;
const faulty = (kind: FaultKind) => () => Promise.reject(new EngineFault(kind, "SIGKILL"));
const failing = (code: ErrorCode) => () => Promise.reject(new FilemillError(code, code));

async function attempt(faults: Faults, plans: readonly (Plan | undefined)[] = [second, third], signal = new AbortController().signal) {
  const ran: string[] = [];
  const notes: string[] = [];
  const asked: NextBestQuery[] = [];
  const ports: RunPorts = {
    engineOf: (id) => ({
      hops: [hop("a", "b"), hop("b", "c"), hop("a", "c")],
      async run(task) {
        ran.push(id);
        task.note("METADATA_DROPPED", id);
        await faults[id]?.(task);
      },
    }),
    unlock: async () => undefined,
    inspect: async () => void (await faults.inspection?.({} as HopTask)),
    intermediatePath: () => "between",
    checkResult: async () => void (await faults.check?.({} as HopTask)),
    metadata: async () => undefined,
    count: async () => undefined,
    pack: async () => undefined,
    sizeOf: async () => 1,
    remove: async () => undefined,
  };
  const run = { plan: first, input: { path: "in", format: "a", sizeBytes: 1 }, outputPath: "out", timeoutMs: 60_000, signal };
  const remaining = [...plans];
  const error = await runWithAlternates({ ...run, onNote: (code, message) => void notes.push(`${code} ${message}`) }, ports, {
    nextBest: async (query) => {
      asked.push({ ...query, avoid: [...query.avoid] });
      return remaining.shift();
    },
  }).then(
    () => undefined,
    (caught: unknown) => (caught instanceof FilemillError ? caught.code : caught),
  );
  return { ran, notes, asked, error };
}

describe("an engine failure", () => {
  it("is followed by the next best route, with only that route's notes", async () => {
    const { ran, notes, asked, error } = await attempt({ one: failing("CONVERSION_FAILED") });
    expect(error).toBeUndefined();
    expect(ran).toEqual(["one", "two", "three"]);
    expect(notes).toEqual([
      "METADATA_DROPPED two",
      "METADATA_DROPPED three",
      "ALTERNATE_ROUTE The usual engine failed for this file; another one was used.",
    ]);
    expect(asked).toEqual([{ from: "a", to: "c", options: {}, avoid: [{ engine: "one", from: "a", to: "c" }] }]);
  });

  it("excludes its hop and earlier ones from the next route, and notes a lower fidelity", async () => {
    const { notes, asked, error } = await attempt({ one: failing("CONVERSION_FAILED"), three: failing("CONVERSION_FAILED") });
    expect(error).toBeUndefined();
    expect(asked[1]?.avoid.map(({ engine }) => engine)).toEqual(["one", "three"]);
    expect(notes.at(-1)).toMatch(/^ALTERNATE_ROUTE .* It preserves less of the file\.$/);
  });

  it.each<[string, Faults]>([
    ["a crash", { one: () => Promise.reject(new TypeError("undefined is not a function")) }],
    ["an incomplete result", { check: onceFailing() }],
    ["an intermediate file that a later hop cannot read", { one: failing("CONVERSION_FAILED"), three: failing("INVALID_INPUT") }],
  ])("may be %s", async (_name, faults) => {
    expect((await attempt(faults)).error).toBeUndefined();
  });

  it("is reported as it was first if two alternate routes fail too", async () => {
    const all = {
      one: failing("CONVERSION_FAILED"),
      two: () => Promise.reject(new Error("other")),
      four: failing("INVALID_INPUT"),
    };
    const { ran, notes, error } = await attempt(all);
    expect({ ran, notes, error }).toEqual({ ran: ["one", "two", "four"], notes: [], error: "CONVERSION_FAILED" });
  });
});

describe("an engine killed from outside", () => {
  it("is retried once before an alternate route, without a note", async () => {
    const { ran, notes, asked, error } = await attempt({ one: once(faulty("lost")) });
    expect({ ran, notes, asked, error }).toEqual({ ran: ["one", "one"], notes: ["METADATA_DROPPED one"], asked: [], error: undefined });
  });

  it("is avoided if it is killed again", async () => {
    const { ran, notes } = await attempt({ one: faulty("lost") });
    expect(ran).toEqual(["one", "one", "two", "three"]);
    expect(notes.at(-1)).toMatch(/^ALTERNATE_ROUTE /);
  });

  it("is not retried if the job was cancelled", async () => {
    const stop = new AbortController();
    const one = () => {
      stop.abort(new FilemillError("JOB_CANCELLED", "Enough."));
      return faulty("lost")();
    };
    expect(await attempt({ one }, [second], stop.signal)).toMatchObject({ ran: ["one"], error: "JOB_CANCELLED" });
  });
});

describe("an engine that crashes", () => {
  it("is avoided at once", async () => {
    const { ran, error } = await attempt({ one: faulty("crashed") });
    expect({ ran, error }).toEqual({ ran: ["one", "two", "three"], error: undefined });
  });

  it.each<ErrorCode>(["INVALID_INPUT", "PASSWORD_REQUIRED"])("is followed by %s if the next engine reports that", async (code) => {
    expect(await attempt({ one: faulty("crashed"), two: failing(code) })).toMatchObject({ ran: ["one", "two"], error: code });
  });

  it("still fails the job if a later hop of another route rejects its intermediate file", async () => {
    const all = { one: faulty("crashed"), three: failing("INVALID_INPUT"), four: faulty("crashed") };
    expect((await attempt(all)).error).toBe("CONVERSION_FAILED");
  });
});

function once(fault: (task: HopTask) => unknown) {
  let calls = 0;
  return (task: HopTask) => {
    calls += 1;
    return calls === 1 ? fault(task) : undefined;
  };
}

function onceFailing() {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? failing("CONVERSION_FAILED")() : undefined;
  };
}

describe("no alternate route is tried", () => {
  it.each<ErrorCode>(["INVALID_INPUT", "PASSWORD_REQUIRED", "INPUT_TOO_COMPLEX", "CONVERSION_TIMEOUT", "INVALID_OPTION", "UNAVAILABLE"])(
    "after %s",
    async (code) => {
      expect(await attempt({ one: failing(code) })).toMatchObject({ ran: ["one"], asked: [], error: code });
    },
  );

  it("for a file that no engine has seen", async () => {
    expect(await attempt({ inspection: failing("CONVERSION_FAILED") })).toMatchObject({ ran: [], asked: [], error: "CONVERSION_FAILED" });
  });

  it("for a file without the content that the target needs", async () => {
    const lacking = () => Promise.reject(new LacksContent("No text."));
    expect(await attempt({ one: lacking })).toMatchObject({ ran: ["one"], asked: [], error: "CONVERSION_FAILED" });
  });

  it("if the job was cancelled", async () => {
    const stop = new AbortController();
    const one = () => {
      stop.abort(new FilemillError("JOB_CANCELLED", "Enough."));
      throw new FilemillError("CONVERSION_FAILED", "Killed.");
    };
    expect(await attempt({ one }, [second], stop.signal)).toMatchObject({ ran: ["one"], asked: [], error: "JOB_CANCELLED" });
  });

  it("if it would return one file where several were requested", async () => {
    const several = { ...second, resultFormat: "zip" };
    expect(await attempt({ one: failing("CONVERSION_FAILED") }, [several])).toMatchObject({ ran: ["one"], error: "CONVERSION_FAILED" });
  });
});
