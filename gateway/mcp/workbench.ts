/** What the tools for agents need from their environment: the service behind `/mcp`, or the command `filemill mcp`. */
import type { JobJson } from "#contract/job-json.ts";

export type FormatView = { readonly id: string; readonly label: string; readonly kind: string; readonly extensions: readonly string[] };

/** A conversion in the REST API's format. */
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

/** A conversion with its details. */
export type RouteView = ConversionView & {
  readonly hops: readonly { readonly engine: string; readonly from: string; readonly to: string }[];
  readonly expectedNotes: readonly { readonly code: string; readonly message: string }[];
  readonly estimateMs: number | null;
};

export type JobView = Pick<
  JobJson,
  "id" | "status" | "from" | "to" | "bytes" | "notes" | "error" | "queuePosition" | "estimateMs" | "delivery"
> & {
  /** Path of the result, for the command, which works on files. */
  readonly path?: string;
};

/** A part of a text. Never splits a character. */
export type TextPage = { readonly text: string; readonly totalBytes: number; readonly nextOffset: number | undefined };

export type ConvertOrder = {
  readonly to: string;
  readonly from: string | undefined;
  readonly options: Readonly<Record<string, string>>;
  /** How long to wait for the end. The job continues afterwards. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
};

/** Every call rejects with a FilemillError. `Source` is the type of files that can be converted here. */
export type Workbench<Source> = {
  formats(): Promise<readonly FormatView[]>;
  /** Empty if there are none. */
  conversionsFrom(from: string): Promise<readonly ConversionView[]>;
  route(from: string, to: string): Promise<RouteView>;
  convert(source: Source, order: ConvertOrder): Promise<JobView>;
  job(id: string, waitMs: number, signal: AbortSignal): Promise<JobView>;
  /** Newest first. */
  jobs(): Promise<readonly JobView[]>;
  /** Reads a result that is text. @param maxBytes - At least 4. */
  readText(jobId: string, offset: number, maxBytes: number): Promise<TextPage>;
  /** Reports an unexpected error. */
  defect(error: unknown): void;
};
