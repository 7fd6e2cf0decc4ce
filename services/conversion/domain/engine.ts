/**
 * The definition of an engine: one tool, declared as data, with a function that runs one hop. Manifest, catalogue, option parsing, OpenAPI,
 * documentation and the contract suite all follow from the declaration.
 */
import type { Inspector } from "./inspector.ts";
import type { Expectation, NoteCode } from "./notes.ts";
import type { Sandbox } from "./sandbox.ts";

export type Fidelity = "lossless" | "high" | "reduced" | "extract";

/** Families of work that compete for the same slots. Each has one subject and one consumer in the queue. */
export const lanes = ["image", "document", "office", "media"] as const;
export type Lane = (typeof lanes)[number];

/** Places in addition to a lane's slots. For office, one would cost the memory of another LibreOffice that is almost always idle. */
export const spareOf: Readonly<Record<Lane, 0 | 1>> = { image: 1, document: 1, office: 0, media: 1 };

type OptionBase = { readonly name: string; readonly description: string };
/** An option of a route. Without a default, the engine decides as the description says. */
export type OptionDefinition =
  | (OptionBase & {
      readonly type: "integer" | "number";
      readonly min: number;
      readonly max: number;
      readonly default?: number;
      readonly unit?: string;
    })
  | (OptionBase & { readonly type: "boolean"; readonly default?: boolean })
  | (OptionBase & { readonly type: "enum"; readonly values: readonly string[]; readonly default?: string })
  | (OptionBase & { readonly type: "string"; readonly pattern: string; readonly default?: string });

export type OptionValues = Readonly<Record<string, string | number | boolean>>;

/** What a file may have several of. */
export type Part = "page" | "sheet" | "track";

/** One format to another by one engine in one run. */
export type Hop = {
  readonly from: string;
  readonly to: string;
  readonly fidelity: Fidelity;
  /** Breaks ties between routes of the same fidelity: roughly milliseconds of CPU for a typical file. */
  readonly cost: number;
  /** Always queued; clients never wait for it inline. */
  readonly async?: boolean;
  /** Some options take as long as an async hop, but clients still wait inline because most do not. */
  readonly isLong?: boolean;
  /** Maximum size of the input in MB (10^6 bytes). */
  readonly maxInputMb: number;
  readonly options: readonly OptionDefinition[];
  /** What a source may have several of and this target holds only one of (see parts.ts). The options then start with `partOptions`. */
  readonly part?: Part;
  /** Notes that a run can raise. That parts are left out follows from `part`. */
  readonly expects?: readonly Expectation[];
};

/** A regular file and its format. The file name is chosen by Filemill (`in.<ext>`), never by the user. */
export type FileRef = { readonly path: string; readonly format: string; readonly sizeBytes: number };

export type HopTask = {
  readonly hop: Hop;
  readonly input: FileRef;
  /** Where the result must be when `run` resolves: a path outside the sandbox that does not exist yet. */
  readonly outputPath: string;
  /** Only the options of this hop, parsed, including defaults. */
  readonly options: OptionValues;
  /** Wall-clock limit for the whole hop. */
  readonly timeoutMs: number;
  /** CPU time limit for the whole hop, by input size. Undefined: as much as fits into the wall-clock limit. */
  readonly cpuSeconds?: number;
  /** Password to protect the result with, if the option `protect` requests it. */
  readonly outputPassword?: string;
  /** What the hop may write, including a copy of its input. Undefined: as much as the engine may. */
  readonly outputBytes?: number;
  readonly signal: AbortSignal;
  /** Called with CPU time of the hop in ms. */
  onSpent?(processorMs: number): void;
  /** Reports what was lost, guessed or corrected. */
  note(code: NoteCode, message?: string): void;
  /** From 0 to 1. */
  progress(fraction: number): void;
  /**
   * Converts a file from the input by its own best route, within this task's limits. The caller removes the file that it resolves with,
   * which is the entry itself if there is nothing to convert. Undefined for a task that itself converts an entry.
   */
  readonly convertEntry?: (entry: FileRef, to: string, note: HopTask["note"]) => Promise<FileRef>;
};

/** What an engine may use of its environment. */
export type EngineHost = {
  readonly sandbox: Sandbox;
  /** Parses for the engine what a stranger wrote, or a tool that read a stranger's file. */
  readonly inspector: Inspector;
  /** How many runs of this engine usually happen at once. */
  readonly slots: number;
  /** How many more runs there may be, for accounts that have nothing running. */
  readonly spare: number;
  /** Nothing is kept ready beyond what runs at once. */
  readonly isOneOff?: true;
  log(event: string, fields?: Readonly<Record<string, unknown>>): void;
};

/** A running engine. `run` rejects with a FilemillError (INVALID_INPUT, PASSWORD_REQUIRED, CONVERSION_FAILED, …). */
export type OpenEngine = AsyncDisposable & {
  run(task: HopTask): Promise<void>;
  /**
   * The parts of the input of a hop with `part`, in order. Each is its label or an empty string; null for a part without content, for which
   * the engine raises a note. Writes no result.
   */
  parts?(task: HopTask): Promise<readonly (string | null)[]>;
};

/** An exit code, or words on standard output or error. */
export type BadInputSign = number | RegExp;

export type Engine = {
  readonly id: string;
  readonly label: string;
  readonly lane: Lane;
  /** Debian packages that provide the tool; empty if it comes with npm. */
  readonly packages: readonly string[];
  /** Returns the tool's version, or undefined if it is missing or does not work in the sandbox. */
  probe(sandbox: Sandbox): Promise<string | undefined>;
  readonly hops: readonly Hop[];
  /**
   * How its tools report a file that is damaged or not what it claims to be. Any other failure is ours (decision 39). Empty if a program of
   * Filemill reports it with a code.
   */
  readonly badInput: readonly BadInputSign[];
  /**
   * Its processes communicate through Unix sockets. Without namespaces these would be the host's: Landlock blocks abstract sockets at best
   * (kernel 6.12), and none that has a path.
   */
  readonly needsFullSandbox?: true;
  open(host: EngineHost): Promise<OpenEngine>;
};

type Stateless = Omit<Engine, "open"> & { run(host: EngineHost, task: HopTask): Promise<void> };

/** Declares an engine. One that keeps nothing between its runs has `run` instead of `open`. */
export function defineEngine(engine: Engine | Stateless): Engine {
  if ("open" in engine) return engine;
  const { run, ...declared } = engine;
  return { ...declared, open: async (host) => ({ run: (task) => run(host, task), [Symbol.asyncDispose]: async () => undefined }) };
}
