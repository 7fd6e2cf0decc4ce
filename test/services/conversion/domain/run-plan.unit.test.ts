import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { type Plan, PlanSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { OptionValueSchema } from "#gen/filemill/common/v1/format_pb.ts";
import type { Hop, HopTask } from "#services/conversion/domain/engine.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { type PlanRun, type RunPorts, runPlan } from "#services/conversion/domain/run-plan.ts";

const hopOf = (from: string, to: string, extra: Partial<Hop> = {}): Hop => ({
  from,
  to,
  fidelity: "high",
  cost: 1,
  async: false,
  maxInputMb: 1,
  options: [],
  ...extra,
});

/** Files, as sizes by path, and engines that convert them. */
function world(runs: Readonly<Record<string, (task: HopTask) => Promise<void> | void>>, hops: readonly Hop[]) {
  const files = new Map<string, number>([["in", 10]]);
  const log: string[] = [];
  let made = 0;
  const ports: RunPorts = {
    engineOf(id) {
      const run = runs[id];
      if (run === undefined) return undefined;
      return {
        hops,
        async run(task) {
          log.push(`${id}: ${task.input.path} > ${task.outputPath}`);
          files.set(task.outputPath, 20);
          await run(task);
        },
      };
    },
    unlock: async () => undefined,
    async inspect(input) {
      log.push(`inspect ${input.path}`);
    },
    intermediatePath: (format) => {
      made += 1;
      return `between${made}.${format}`;
    },
    async checkResult(path, format) {
      log.push(`check ${path} as ${format}`);
    },
    metadata: async () => undefined,
    count: async () => undefined,
    pack: async () => undefined,
    sizeOf: async (path) => files.get(path) ?? 0,
    async remove(path) {
      files.delete(path);
    },
  };
  return { ports, files, log };
}

const planOf = (...hops: readonly [engine: string, from: string, to: string][]): Plan =>
  create(PlanSchema, { hops: hops.map(([engine, from, to]) => ({ engine, from, to, options: {} })) });

const runOf = (plan: Plan, extra: Partial<PlanRun> = {}): PlanRun => ({
  plan,
  input: { path: "in", format: "a", sizeBytes: 10 },
  outputPath: "out",
  timeoutMs: 1000,
  signal: new AbortController().signal,
  ...extra,
});

const quiet = (): void => undefined;
const route = planOf(["one", "a", "b"], ["two", "b", "c"]);
const hops = [hopOf("a", "b"), hopOf("b", "c")];

describe("a plan", () => {
  it("runs hop by hop, checks each result and keeps only the last", async () => {
    const { ports, files, log } = world({ one: quiet, two: quiet }, hops);
    await runPlan(runOf(route), ports);
    expect(log).toEqual(["inspect in", "one: in > between1.b", "check between1.b as b", "two: between1.b > out", "check out as c"]);
    expect([...files.keys()]).toEqual(["in", "out"]);
  });

  it.each(["one", "two"])("leaves nothing behind if engine %s fails", async (failing) => {
    const fail = () => Promise.reject(new FilemillError("CONVERSION_FAILED", "No."));
    const { ports, files } = world({ one: quiet, two: quiet, [failing]: fail }, hops);
    await expect(runPlan(runOf(route), ports)).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    expect([...files.keys()]).toEqual(["in"]);
  });

  it("leaves nothing behind if a result fails its check", async () => {
    const { ports, files } = world({ one: quiet, two: quiet }, hops);
    const checkResult = () => Promise.reject(new FilemillError("CONVERSION_FAILED", "Empty."));
    await expect(runPlan(runOf(route), { ...ports, checkResult })).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    expect([...files.keys()]).toEqual(["in"]);
  });

  it("rejects a result with less than its source, unless that hop notes it or a part was requested", async () => {
    const counted = [hopOf("xlsx", "ods"), hopOf("ods", "csv")];
    const plan = planOf(["one", "xlsx", "ods"], ["two", "ods", "csv"]);
    const compared: string[] = [];
    const run = async (one: (task: HopTask) => void, two: (task: HopTask) => void) => {
      const { ports, files } = world({ one, two }, counted);
      const count: RunPorts["count"] = async ({ path }, { format }) => {
        compared.push(`${path} with ${format}`);
        return { source: { rows: 2 }, result: { rows: format === "csv" ? 1 : 2 } };
      };
      const input = { path: "in", format: "xlsx", sizeBytes: 10 };
      await runPlan(runOf(plan, { input }), { ...ports, count }).finally(() => compared.push(...files.keys()));
    };
    const noting = ({ note }: HopTask): void => note("SHEETS_LEFT_OUT");
    await run(quiet, noting);
    expect(compared.splice(0)).toEqual(["in with ods", "between1.ods with csv", "in", "out"]);
    const lacking = { code: "CONVERSION_FAILED", message: "The result would have kept only 1 of 2 rows of the file." };
    await expect(run(noting, quiet)).rejects.toMatchObject(lacking);
    expect(compared.splice(0)).toEqual(["in with ods", "between1.ods with csv", "in"]);
    for (const hop of plan.hops) hop.options.sheet = create(OptionValueSchema, { value: { case: "text", value: "1" } });
    await run(quiet, quiet);
    expect(compared).toEqual(["in", "out"]);
  });

  it("notes text that a hop left out, however little", async () => {
    const { ports } = world({ one: quiet, two: quiet }, [hopOf("docx", "html"), hopOf("html", "md")]);
    const count: RunPorts["count"] = async (_, { format }) => ({
      source: { letters: 500 },
      result: { letters: format === "md" ? 499 : 500 },
    });
    const told: string[] = [];
    const run = runOf(planOf(["one", "docx", "html"], ["two", "html", "md"]), {
      input: { path: "in", format: "docx", sizeBytes: 10 },
      onNote: (code, message) => told.push(`${code}: ${message}`),
    });
    await runPlan(run, { ...ports, count });
    expect(told).toEqual(["TEXT_LEFT_OUT: 1 of 500 letters are missing in the result."]);
  });

  it("starts no engine for a rejected input", async () => {
    const { ports, log } = world({ one: quiet, two: quiet }, hops);
    const inspect = () => Promise.reject(new FilemillError("PASSWORD_REQUIRED", "Locked."));
    await expect(runPlan(runOf(route), { ...ports, inspect })).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    expect(log).toEqual([]);
  });

  it("fails with the reason of its signal, whatever the engine threw", async () => {
    const stop = new AbortController();
    const one = () => {
      stop.abort(new FilemillError("JOB_CANCELLED", "Enough."));
      throw new Error("killed");
    };
    const { ports, files } = world({ one, two: quiet }, hops);
    await expect(runPlan(runOf(route, { signal: stop.signal }), ports)).rejects.toMatchObject({ code: "JOB_CANCELLED" });
    expect([...files.keys()]).toEqual(["in"]);
  });

  it("gives an async hop ten times the timeout", async () => {
    const limits: number[] = [];
    const keep = (task: HopTask): void => void limits.push(task.timeoutMs);
    const { ports } = world({ one: keep, two: keep }, [hopOf("a", "b", { async: true }), hopOf("b", "c")]);
    await runPlan(runOf(route), ports);
    expect(limits).toEqual([10_000, 1000]);
  });

  it("passes each hop its own options with declared defaults", async () => {
    const quality = { name: "quality", description: "", type: "integer", min: 1, max: 100, default: 80 } as const;
    const page = { name: "page", description: "", type: "integer", min: 1, max: 9 } as const;
    const seen: unknown[] = [];
    const keep = (task: HopTask): void => void seen.push(task.options);
    const { ports } = world({ one: keep, two: keep }, [
      hopOf("a", "b", { options: [page] }),
      hopOf("b", "c", { options: [quality, page] }),
    ]);
    const plan = planOf(["one", "a", "b"], ["two", "b", "c"]);
    const second = plan.hops[1];
    if (second === undefined) throw new Error("no hop");
    second.options =
      create(PlanSchema, {
        hops: [{ options: { page: { value: { case: "number", value: 3 } }, other: { value: { case: "flag", value: true } } } }],
      }).hops[0]?.options ?? {};
    await runPlan(runOf(plan), ports);
    expect(seen).toEqual([{}, { quality: 80, page: 3 }]);
  });

  it("reports progress across all hops, and notes with their standard text", async () => {
    const told: (number | string)[] = [];
    const half = (task: HopTask): void => {
      task.progress(0.5);
      task.note("ALPHA_FLATTENED");
    };
    const { ports } = world({ one: half, two: half }, hops);
    await runPlan(
      runOf(route, { onProgress: (fraction) => told.push(fraction), onNote: (code, message) => told.push(code, message) }),
      ports,
    );
    const note = ["ALPHA_FLATTENED", "Transparency was flattened onto the background colour."];
    expect(told).toEqual([0.25, ...note, 0.75, ...note]);
  });

  it("rejects an input over the hop's limit, and an intermediate file that exceeds it", async () => {
    const { ports, files } = world({ one: quiet, two: quiet }, hops);
    const large = { path: "in", format: "a", sizeBytes: 1_000_001 };
    await expect(runPlan(runOf(route, { input: large }), ports)).rejects.toMatchObject({
      code: "INPUT_TOO_LARGE",
      details: { limitMb: 1 },
    });
    await expect(runPlan(runOf(route), { ...ports, sizeOf: async () => 2_000_000 })).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    expect([...files.keys()]).toEqual(["in"]);
  });

  it("is UNAVAILABLE here if an engine is missing", async () => {
    const { ports, files } = world({ one: quiet }, hops);
    await expect(runPlan(runOf(route), ports)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect([...files.keys()]).toEqual(["in"]);
  });
});

describe("a hop with several requested results", () => {
  const paged = hopOf("a", "b", { part: "page", options: partOptions("page") });
  const several = (chosen: string) => {
    const plan = planOf(["one", "a", "b"], ["two", "b", "c"]);
    const [first] = plan.hops;
    if (first === undefined) throw new Error("no hop");
    first.options = { pages: create(OptionValueSchema, { value: { case: "text", value: chosen } }) };
    plan.resultFormat = "zip";
    return plan;
  };

  function pagedWorld(two: (task: HopTask) => Promise<void> | void = quiet) {
    const seen: unknown[] = [];
    const one = (task: HopTask): void => {
      seen.push(task.options.page);
      task.note("PAGES_LEFT_OUT");
    };
    const found = world({ one, two }, [paged, hopOf("b", "c")]);
    const packed: string[][] = [];
    const ports: RunPorts = {
      ...found.ports,
      engineOf: (id) => {
        const engine = found.ports.engineOf(id);
        return engine && { ...engine, parts: async () => ["", "Über/all", ""] };
      },
      async pack(files, outputPath) {
        packed.push(files.map(({ name }) => name));
        found.files.set(outputPath, 99);
      },
    };
    return { ...found, ports, seen, packed };
  }

  it("runs the remaining hops per part and keeps only the packed archive", async () => {
    const { ports, files, seen, packed, log } = pagedWorld();
    const notes: string[] = [];
    await runPlan(runOf(several("all"), { onNote: (code) => notes.push(code) }), ports);
    expect(seen).toEqual([1, 2, 3]);
    expect(packed).toEqual([["page-1.c", "page-2-Über_all.c", "page-3.c"]]);
    expect(log.at(-1)).toBe("check out as zip");
    expect([...files.keys()]).toEqual(["in", "out"]);
    expect(notes).toEqual(["SEVERAL_FILES"]);
  });

  it("notes how many of the parts were converted", async () => {
    const { ports, seen } = pagedWorld();
    const notes: string[] = [];
    await runPlan(runOf(several("3,1"), { onNote: (code, message) => notes.push(`${code} ${message}`) }), ports);
    expect(seen).toEqual([1, 3]);
    expect(notes).toContain("PAGES_LEFT_OUT Only 2 of 3 pages were converted.");
  });

  it("leaves nothing behind if one of them fails", async () => {
    let runs = 0;
    const { ports, files, packed } = pagedWorld(() => {
      runs += 1;
      if (runs === 2) throw new FilemillError("CONVERSION_FAILED", "No.");
    });
    await expect(runPlan(runOf(several("all")), ports)).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    expect(packed).toEqual([]);
    expect([...files.keys()]).toEqual(["in"]);
  });

  it("is limited in total size", async () => {
    const { ports } = pagedWorld();
    const large = { ...ports, sizeOf: async (path: string) => (path.endsWith(".c") ? 1.5e9 : 20) };
    await expect(runPlan(runOf(several("all")), large)).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });
});
