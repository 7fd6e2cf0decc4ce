import type { ConversionView, FormatView, RouteView } from "#gateway/mcp/workbench.ts";

/** What the commands that need no server use: planner, engines and sandbox in this process. */
export type Library = AsyncDisposable & {
  /** Rejects with a FilemillError when there is no route or the conversion fails. */
  convert(task: ConvertTask): Promise<{ readonly notes: readonly { readonly code: string; readonly message: string }[] }>;
  engines(): readonly EngineState[] | Promise<readonly EngineState[]>;
  /** What can be converted here. */
  formats(): Promise<Listed>;
  /** Rejects with UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION. */
  route(from: string, to: string): Promise<RouteView>;
  /** What a file is, by its content and its name. Rejects with INVALID_INPUT where it cannot be read. */
  tell(path: string): Promise<{ readonly format: string | undefined; readonly nameDisagrees: boolean }>;
};

/** What the commands read of `GET /api/v1/formats`. */
export type Listed = { readonly formats: readonly FormatView[]; readonly conversions: readonly ConversionView[] };

export type ConvertTask = {
  readonly inputPath: string;
  readonly outputPath: string;
  /** Format ids; without them the content and the name of the output decide. */
  readonly from?: string;
  readonly to?: string;
  /** As written on the command line, by option name. */
  readonly options: Readonly<Record<string, string>>;
  /** Of a protected input. */
  readonly password?: string;
  /** To protect the result with. */
  readonly outputPassword?: string;
  /** Fires when nobody wants the result any more: what was begun is taken back. */
  readonly signal: AbortSignal;
  /** Told as often as there is news. */
  onProgress?(progress: Progress): void;
};

/** How far a conversion is; bytes are of the upload, a fraction from 0 to 1 where the engine tells. */
export type Progress =
  | { readonly stage: "uploading"; readonly bytes: number; readonly totalBytes: number }
  | { readonly stage: "converting"; readonly fraction?: number }
  | { readonly stage: "waiting" | "downloading" };

export type EngineState = {
  readonly id: string;
  readonly label: string;
  /** Absent: the tool was not found, or does not work in the sandbox. */
  readonly version?: string | undefined;
  /** What it converts in one step, as far as it was proven with this version. */
  readonly proven: number;
  /** It is not offered in the weaker sandbox that this machine has. */
  readonly isWithheld?: true;
  /** Debian packages that bring the tool. */
  readonly packages: readonly string[];
};
