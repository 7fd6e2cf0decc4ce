import type { KnownFile } from "#test/prove/samples.ts";

/** Where sources are made. */
export type Studio = {
  readonly folder: string;
  /** Converts with an engine: LibreOffice for what nothing else writes. */
  convert(engine: string, input: KnownFile, result: KnownFile): Promise<void>;
};
