import type { ConversionView, FormatView, RouteView } from "#gateway/mcp/workbench.ts";

/** Planner, engines and sandbox in this process, for commands that need no server. */
export type Library = AsyncDisposable & {
  /** Rejects with a FilemillError if there is no route or the conversion fails. */
  convert(task: ConvertTask): Promise<{ readonly notes: readonly { readonly code: string; readonly message: string }[] }>;
  engines(): readonly EngineState[] | Promise<readonly EngineState[]>;
  /** The formats and conversions that are available here. */
  formats(): Promise<Listed>;
  /** Rejects with UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION. */
  route(from: string, to: string): Promise<RouteView>;
  /** Detects a file's format by content and name. Rejects with INVALID_INPUT if the file cannot be read. */
  tell(path: string): Promise<{ readonly format: string | undefined; readonly nameDisagrees: boolean }>;
};

/** The parts of `GET /api/v1/formats` that the commands use. */
export type Listed = { readonly formats: readonly FormatView[]; readonly conversions: readonly ConversionView[] };

export type ConvertTask = {
  readonly inputPath: string;
  readonly outputPath: string;
  /** Format ids; default: detected from the content, and from the output's name. */
  readonly from?: string;
  readonly to?: string;
  /** Option values by name, as written on the command line. */
  readonly options: Readonly<Record<string, string>>;
  /** Password of a protected input file. */
  readonly password?: string;
  /** Password to protect the result with. */
  readonly outputPassword?: string;
  /** Fires when the result is no longer wanted. Unfinished work is then undone. */
  readonly signal: AbortSignal;
  /** Called on every change. */
  onProgress?(progress: Progress): void;
};

/** Progress of a conversion. `bytes` counts the upload; `fraction` is from 0 to 1 and absent if the engine does not report it. */
export type Progress =
  | { readonly stage: "uploading"; readonly bytes: number; readonly totalBytes: number }
  | { readonly stage: "converting"; readonly fraction?: number }
  | { readonly stage: "waiting" | "downloading" };

export type EngineState = {
  readonly id: string;
  readonly label: string;
  /** Absent if the tool was not found or does not work in the sandbox. */
  readonly version?: string | undefined;
  /** Number of one-step conversions that are proven with this version. */
  readonly proven: number;
  /** Not offered, because this machine only has the weaker sandbox. */
  readonly isWithheld?: true;
  /** Debian packages that contain the tool. */
  readonly packages: readonly string[];
};
