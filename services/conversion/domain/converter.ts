/** The engine library as its two users see it: the worker behind the queue and the command line without one. */
import type { Manifest, Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Alternates } from "./alternates.ts";
import type { PlanOf } from "./convert-entry.ts";
import type { Hop, Lane } from "./engine.ts";
import type { NoteCode } from "./notes.ts";
import type { Answer } from "./questions.ts";
import type { ResultBound } from "./result-bound.ts";

/** What is known of one engine on this host. */
export type EngineStatus = {
  readonly id: string;
  readonly label: string;
  /** Undefined: its tool is not there, or does not work in the sandbox. */
  readonly version: string | undefined;
  /** Its tool may be there, but the weaker sandbox of this host cannot confine it. */
  readonly isWithheld?: true;
  readonly lane: Lane;
  readonly hops: readonly Hop[];
  /** Debian packages that bring the tool. */
  readonly packages: readonly string[];
};

export type ConversionRequest = {
  readonly signal: AbortSignal;
  /** Length of the input where the caller knows it. */
  readonly inputBytes?: number;
  /** Of a protected input; forgotten with the run. */
  readonly password?: string | undefined;
  /** To protect the result with. */
  readonly outputPassword?: string | undefined;
  /** Without it, an engine's failure is the conversion's. */
  readonly alternates?: Alternates;
  /** For files inside the input; without it, what joins them fails. */
  readonly planOf?: PlanOf;
  /** Absent: as large as engines may write. */
  readonly bound?: ResultBound;
  /** Takes processor time of engines in ms. */
  onSpent?(processorMs: number): void;
  onNote?(code: NoteCode, message: string): void;
  /** From 0 to 1. */
  onProgress?(fraction: number): void;
};

/** Each resolves when that part works. */
export type Trials = Readonly<Record<"scratch" | "sandbox" | "inspectors", () => Promise<void>>>;

export type Converter = AsyncDisposable & {
  readonly trials: Trials;
  readonly sandboxMode: "full" | "degraded";
  engines(): readonly EngineStatus[];
  /** What the engines of the served lanes can do, for the planner. */
  manifest(node: string): Manifest;
  /** Lanes with at least one slot and one engine. */
  readonly lanes: readonly { readonly lane: Lane; readonly slots: number }[];
  /** Begins to open the engines of the served lanes, without waiting for their warm processes; else each is opened at its first use. */
  warm(): void;
  /** See OpenSandbox. */
  attackIfOwed(): Promise<void>;
  /** Looks again at engines that are taken to be what they were at the last start. False when one is not: then the manifest is another. */
  verify(signal: AbortSignal): Promise<boolean>;
  /**
   * Runs a plan from one file to another that does not exist yet. Rejects with a FilemillError or the signal's reason;
   * then nothing is left at `outputPath`.
   */
  run(plan: Plan, inputPath: string, outputPath: string, request: ConversionRequest): Promise<void>;
  /** What a file is, by its content and its name; an inspector looks at it. The file is not changed before its conversion is over. */
  tell(path: string, fileName: string): Promise<Answer<"sniff">>;
  /** A new path for a result, on the disk of DATA_DIR. */
  newPath(format: string): string;
  /** Ends the engines' warm processes; runs that are still going reject. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** The same for one conversion in a process of its own, which must not wait for engines that it does not need. */
export type OneOffConverter = AsyncDisposable &
  Pick<Converter, "run" | "newPath" | "tell"> & {
    /**
     * The plan that `choose` makes of what the engines declare. Those it needs are probed in the sandbox, and while one is absent
     * it chooses again without that one; what it throws, this rejects with.
     *
     * @param serves - Which hops it is to choose from; absent: from all.
     */
    plan(choose: (manifest: Manifest) => Plan, serves?: (from: string, to: string) => boolean): Promise<Plan>;
    /** Of all engines, each probed. */
    engines(): Promise<readonly EngineStatus[]>;
    /** What all of them can do, for the planner; what worked before is not probed again (decision 32). */
    manifest(): Promise<Manifest>;
  };
