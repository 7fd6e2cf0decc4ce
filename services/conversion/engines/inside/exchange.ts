/** What the host asks and what it is told, one line of JSON each. */
export type Options = Readonly<Record<string, string | number | boolean>>;

/** What was lost, by code of the host's table of notes; a message says more than the table does. */
export type Notes = Map<string, string | undefined>;

/** Keeps what was told first, which says where. */
export function noteOnce(notes: Notes, code: string, message: string): void {
  if (!notes.has(code)) notes.set(code, message);
}

/** Several sentences of one code stand behind each other. */
export function noteAlso(notes: Notes, code: string, message: string): void {
  const told = notes.get(code);
  if (told === undefined) notes.set(code, message);
  else if (!told.includes(message)) notes.set(code, `${told} ${message}`);
}

export type Question = {
  readonly work: string;
  readonly from: string;
  readonly to: string;
  readonly options: Options;
  /** Asks for the labels of the input's parts instead of a result. */
  readonly parts?: boolean;
  /** Base64 of the input; without it the input is the file `in`. */
  readonly data?: string;
};

export type Converted = string | Uint8Array;

/** Asks the host for what its other programs make of the same input; the answer is what host and work agreed on. Once a job. */
export type Ask = (wanted: readonly string[]) => Promise<string>;

export type Work = (bytes: Buffer, question: Question, notes: Notes, ask: Ask) => Converted | Promise<Converted>;

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOption(options: Options, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}
