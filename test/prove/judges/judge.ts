/** A judge is an independent program that decides whether a result conforms to its format's specification. */

/** Reasons why a file is rejected, most important first; empty if it is accepted. */
type Judging = (path: string, format: string) => Promise<readonly string[]>;

export type Judge = {
  readonly id: string;
  readonly label: string;
  /** What it checks in a file, for FORMATS.md. */
  readonly what: string;
  readonly formats: readonly string[];
  /** Undefined if it is not installed. */
  version(): Promise<string | undefined>;
  /** Rejects if the judge itself fails. */
  readonly judge: Judging;
};
