/** The engine library as its two users see it: the worker behind the queue, and the command line without a queue. */
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
  /** Undefined: its tool is not installed, or does not work in the sandbox. */
  readonly version: string | undefined;
  /** Its tool may be installed, but the weaker sandbox of this host cannot confine it. */
  readonly isWithheld?: true;
  readonly lane: Lane;
  readonly hops: readonly Hop[];
  /** Debian packages that provide the tool. */
  readonly packages: readonly string[];
};

export type ConversionRequest = {
  readonly signal: AbortSignal;
  /** Size of the input, if the caller knows it. */
  readonly inputBytes?: number;
  /** Password of a protected input. Forgotten after the run. */
  readonly password?: string | undefined;
  /** Password to protect the result with. */
  readonly outputPassword?: string | undefined;
  /** Without it, an engine's failure fails the conversion. */
  readonly alternates?: Alternates;
  /** Plans conversions of files inside the input. Without it, joining them fails. */
  readonly planOf?: PlanOf;
  /** Undefined: limited only by what engines may write. */
  readonly bound?: ResultBound;
  /** Called with CPU time of engines in ms. */
  onSpent?(processorMs: number): void;
  onNote?(code: NoteCode, message: string): void;
  /** From 0 to 1. */
  onProgress?(fraction: number): void;
};

/** Each trial resolves if that part works. */
export type Trials = Readonly<Record<"scratch" | "sandbox" | "inspectors", () => Promise<void>>>;

export type Converter = AsyncDisposable & {
  readonly trials: Trials;
  readonly sandboxMode: "full" | "degraded";
  engines(): readonly EngineStatus[];
  /** What the engines of the served lanes can do, for the planner. */
  manifest(node: string): Manifest;
  /** Lanes with at least one slot and one engine. */
  readonly lanes: readonly { readonly lane: Lane; readonly slots: number }[];
  /** Starts to open the engines of the served lanes, without waiting for their warm processes. Otherwise each is opened on first use. */
  warm(): void;
  /** See OpenSandbox, for this and the next. */
  attackIfOwed(): Promise<void>;
  readonly heldLately: boolean;
  /**
   * Probes again the engines that were assumed unchanged since the last start. False if one has changed; then the manifest has changed too.
   */
  verify(signal: AbortSignal): Promise<boolean>;
  /**
   * Runs a plan from one file to another that must not exist yet. Rejects with a FilemillError or the signal's reason. Then nothing is left
   * at `outputPath`.
   */
  run(plan: Plan, inputPath: string, outputPath: string, request: ConversionRequest): Promise<void>;
  /** Detects a file's format from its content and name, in an inspector. The file must not change until its conversion is over. */
  tell(path: string, fileName: string): Promise<Answer<"sniff">>;
  /** A new path for a result, on the disk of DATA_DIR. */
  newPath(format: string): string;
  /** Ends the engines' warm processes. Running conversions reject. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** The same for a single conversion in its own process, which must not wait for engines that it does not need. */
export type OneOffConverter = AsyncDisposable &
  Pick<Converter, "run" | "newPath" | "tell"> & {
    /**
     * The plan that `choose` makes from the engines' declarations. The engines it uses are probed in the sandbox. If one is missing,
     * `choose` runs again without that engine. Rejects with whatever `choose` throws.
     *
     * @param serves - Which hops to choose from. Default: all.
     */
    plan(choose: (manifest: Manifest) => Plan, serves?: (from: string, to: string) => boolean): Promise<Plan>;
    /** Probes all engines. */
    engines(): Promise<readonly EngineStatus[]>;
    /** What all engines can do, for the planner. Engines that worked before are not probed again (decision 32). */
    manifest(): Promise<Manifest>;
  };
