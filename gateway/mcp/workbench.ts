/** What the tools for agents need, wherever they run: behind `/mcp`, or in the `filemill mcp` command. */
import type { JobJson } from "#contract/job-json.ts";

export type FormatView = { readonly id: string; readonly label: string; readonly kind: string; readonly extensions: readonly string[] };

/** As the REST API shows it. */
export type ConversionView = {
  readonly from: string;
  readonly to: string;
  readonly fidelity: string;
  readonly async: boolean;
  readonly maxInputMb: number;
  readonly options: readonly OptionView[];
};

export type OptionView = {
  readonly name: string;
  readonly type: string;
  readonly default: string | number | bigint | boolean | null;
  readonly description: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly unit?: string;
};

/** A conversion with what is known of it before it runs. */
export type RouteView = ConversionView & {
  readonly hops: readonly { readonly engine: string; readonly from: string; readonly to: string }[];
  readonly expectedNotes: readonly { readonly code: string; readonly message: string }[];
  readonly estimateMs: number | null;
};

export type JobView = Pick<
  JobJson,
  "id" | "status" | "from" | "to" | "bytes" | "notes" | "error" | "queuePosition" | "estimateMs" | "delivery"
> & {
  /** Where the result lies, for a command that works on files. */
  readonly path?: string;
};

/** A part of a text, in whole characters. */
export type TextPage = { readonly text: string; readonly totalBytes: number; readonly nextOffset: number | undefined };

export type ConvertOrder = {
  readonly to: string;
  readonly from: string | undefined;
  readonly options: Readonly<Record<string, string>>;
  /** How long to wait for the end; the job goes on. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
};

/** Every call rejects with a FilemillError. `Source` is what this way in can take a file from. */
export type Workbench<Source> = {
  formats(): Promise<readonly FormatView[]>;
  /** Empty where nothing can be made of it. */
  conversionsFrom(from: string): Promise<readonly ConversionView[]>;
  route(from: string, to: string): Promise<RouteView>;
  convert(source: Source, order: ConvertOrder): Promise<JobView>;
  job(id: string, waitMs: number, signal: AbortSignal): Promise<JobView>;
  /** Newest first. */
  jobs(): Promise<readonly JobView[]>;
  /** Of a result that is text. @param maxBytes - At least four. */
  readText(jobId: string, offset: number, maxBytes: number): Promise<TextPage>;
  /** Takes note of an error that is nobody's fault but ours. */
  defect(error: unknown): void;
};
