/** What a judge is: a program that had no part in a result and says whether it is as its format's specification wants it. */

/** Of one file: why it is refused, most important first; empty when it is accepted. */
type Judging = (path: string, format: string) => Promise<readonly string[]>;

export type Judge = {
  readonly id: string;
  readonly label: string;
  /** What it judges in a file, for FORMATS.md. */
  readonly what: string;
  readonly formats: readonly string[];
  /** Undefined: it is not here. */
  version(): Promise<string | undefined>;
  /** Rejects when the judge itself cannot work. */
  readonly judge: Judging;
};
