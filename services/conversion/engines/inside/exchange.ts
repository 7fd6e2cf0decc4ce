/** Questions from the host and answers to it, one line of JSON each. */
export type Options = Readonly<Record<string, string | number | boolean>>;

/** What was lost, keyed by a code from the host's note table; a message adds detail to the table's text. */
export type Notes = Map<string, string | undefined>;

/** The host shows less than this of a note. */
const maxNote = 1000;

/** Keeps the first message of each kind, which says where. Kinds differ in their words before the first name, number or list. */
export function noteOnce(notes: Notes, code: string, message: string): void {
  const [kind = ""] = message.split(/[“:,\d]/, 1);
  if (notes.get(code)?.includes(kind) !== true) noteAlso(notes, code, message);
}

/** Joins several messages of one code. */
export function noteAlso(notes: Notes, code: string, message: string): void {
  const told = notes.get(code);
  if (told === undefined) notes.set(code, message);
  else if (told.length < maxNote && !told.includes(message)) notes.set(code, `${told} ${message}`);
}

/** Joins the notes of one part, such as a sheet, with its name if there are others. */
export function noteWithin(notes: Notes, part: string, raised: Notes): void {
  for (const [code, message] of raised) {
    if (message === undefined) notes.set(code, notes.get(code));
    else noteAlso(notes, code, part === "" ? message : `${part.slice(0, 60)}: ${message}`);
  }
}

export type Question = {
  readonly work: string;
  readonly from: string;
  readonly to: string;
  readonly options: Options;
  /** Asks for the labels of the input's parts instead of a result. */
  readonly parts?: boolean;
  /** Base64 of the input; without it, the input is in the file `in`. */
  readonly data?: string;
};

export type Converted = string | Uint8Array;

/** Asks the host to run its other programs on the same input; host and work agree on the answer's format. Once per job. */
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
