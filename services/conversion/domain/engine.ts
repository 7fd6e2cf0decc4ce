/**
 * What an engine is: one tool, declared as data, with a way to run one hop.
 * Manifest, catalogue, option parsing, OpenAPI, documentation and the contract suite all follow from the declaration.
 */
import type { Inspector } from "./inspector.ts";
import type { Expectation, NoteCode } from "./notes.ts";
import type { Sandbox } from "./sandbox.ts";

export type Fidelity = "lossless" | "high" | "reduced" | "extract";

/** A family of work that competes for the same slots: one subject and one consumer of the queue. */
export const lanes = ["image", "document", "office", "media"] as const;
export type Lane = (typeof lanes)[number];

/** Places beyond a lane's slots. An office would cost the memory of another LibreOffice that nearly always waits. */
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
  /** Breaks ties between routes of one fidelity: roughly milliseconds of CPU for a typical file. */
  readonly cost: number;
  /** Always queued, never waited for inline. */
  readonly async: boolean;
  /** Some options take as long as an async hop may; only some, so that it is waited for inline. */
  readonly isLong?: boolean;
  /** Ceiling of the input in MB (10^6 bytes). */
  readonly maxInputMb: number;
  readonly options: readonly OptionDefinition[];
  /** What a source may have several of and this target holds one of (see parts.ts); the options then begin with `partOptions`. */
  readonly part?: Part;
  /** The notes that a run may raise; that parts are left out follows from `part`. */
  readonly expects?: readonly Expectation[];
};

/** A regular file with its format, whose name is ours (`in.<ext>`), never the user's. */
export type FileRef = { readonly path: string; readonly format: string; readonly sizeBytes: number };

export type HopTask = {
  readonly hop: Hop;
  readonly input: FileRef;
  /** Where the result must be when `run` resolves: a path outside the sandbox that does not exist yet. */
  readonly outputPath: string;
  /** Only the options of this hop, parsed, with defaults filled in. */
  readonly options: OptionValues;
  /** Wall-clock bound for the whole hop. */
  readonly timeoutMs: number;
  /** Processor time for the whole hop, by the size of the input; absent: as much as fits into the time. */
  readonly cpuSeconds?: number;
  /** To protect the result with, where the option `protect` asks for it. */
  readonly outputPassword?: string;
  /** What the hop may write, beside its input; absent: as much as the engine may. */
  readonly outputBytes?: number;
  readonly signal: AbortSignal;
  /** Takes processor time of the hop in ms. */
  onSpent?(processorMs: number): void;
  /** Says what was lost, guessed or corrected. */
  note(code: NoteCode, message?: string): void;
  /** From 0 to 1. */
  progress(fraction: number): void;
  /**
   * A file that was in the input, by its own best route and within this task's bounds; the caller removes what it resolves with, which
   * is the entry itself where there is nothing to convert. Absent for what is an entry itself.
   */
  readonly convertEntry?: (entry: FileRef, to: string, note: HopTask["note"]) => Promise<FileRef>;
};

/** What an engine may use of its surroundings. */
export type EngineHost = {
  readonly sandbox: Sandbox;
  /** Reads for the engine what a stranger, or a tool that read a stranger's file, has written. */
  readonly inspector: Inspector;
  /** How many runs of this engine happen at once in the ordinary. */
  readonly slots: number;
  /** How many more there may be, for accounts that have nothing running. */
  readonly spare: number;
  /** Nothing is to be kept ready beyond what runs at once. */
  readonly isOneOff?: true;
  log(event: string, fields?: Readonly<Record<string, unknown>>): void;
};

/** A live engine. `run` rejects with a FilemillError (INVALID_INPUT, PASSWORD_REQUIRED, CONVERSION_FAILED, …). */
export type OpenEngine = AsyncDisposable & {
  run(task: HopTask): Promise<void>;
  /**
   * The parts of the input of a hop that names one, in order, each by its label or an empty text; null for one without content, of
   * which the engine raises a note. Writes no result.
   */
  parts?(task: HopTask): Promise<readonly (string | null)[]>;
};

/** An exit code, or words on standard output or error. */
export type BadInputSign = number | RegExp;

export type Engine = {
  readonly id: string;
  readonly label: string;
  readonly lane: Lane;
  /** Debian packages that bring the tool; empty when it comes with npm. */
  readonly packages: readonly string[];
  /** Names the tool's version, or undefined when it is not there or does not work in the sandbox. */
  probe(sandbox: Sandbox): Promise<string | undefined>;
  readonly hops: readonly Hop[];
  /**
   * By what its tools say that a file is damaged or not what it claims to be. Any other failure is ours (decision 39). Empty where a
   * program of our own answers with a code.
   */
  readonly badInput: readonly BadInputSign[];
  /**
   * Its own processes talk through Unix sockets. Without namespaces these would be the host's: Landlock holds back abstract ones at best
   * (kernel 6.12), and none that has a path.
   */
  readonly needsFullSandbox?: true;
  /** Looks for its input among the fresh files (see fresh-files.ts) before it looks on the disk. */
  readonly takesFresh?: true;
  open(host: EngineHost): Promise<OpenEngine>;
};

/** Identity with a type: declares an engine. */
export function defineEngine(engine: Engine): Engine {
  return engine;
}
