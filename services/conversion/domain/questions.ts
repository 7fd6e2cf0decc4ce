/** What inspectors can be asked, and the only shapes in which they can answer. What is asked is answered in inspectors/inside. */
import { formatOf } from "#formats/index.ts";
import { flag, known, oneOf, optional, record, text } from "./answer-shapes.ts";

const formatId = known((value): value is string => formatOf(value) !== undefined);

/** Why a file is not converted, in words for its owner. */
export const refusal = record({
  code: oneOf("INVALID_INPUT", "PASSWORD_REQUIRED", "INPUT_TOO_COMPLEX", "CONVERSION_FAILED"),
  message: text(300),
  /** The file is well and holds nothing for the target (see LacksContent). */
  lacksContent: optional(flag),
});

const nothing = record({});

/** Two questions in one where the file is small: what it is, and what is wrong with it as a file of that format. */
export const sniffed = record({
  format: optional(formatId),
  toldBy: oneOf("content", "name"),
  nameDisagrees: flag,
  /** Undefined where it was not looked for, or nothing is wrong. */
  refusal: optional(refusal),
});

/** A label of the Encoding Standard, or one that programs understand. */
const encodingLabel = text(32);

export const answers = {
  sniff: sniffed,
  inspect: nothing,
  check: nothing,
  /** Of a table of dBase; `number` as the office counts them, `guess` where nothing in the table says it. */
  tableEncoding: record({ number: optional(text(3)), guess: optional(encodingLabel) }),
  /** Of a text that is not Unicode. `isPage`: it may say it itself. */
  textEncoding: record({ guess: optional(encodingLabel) }),
} as const;

export type QuestionKind = keyof typeof answers;
export type Answer<K extends QuestionKind> = ReturnType<(typeof answers)[K]>;
