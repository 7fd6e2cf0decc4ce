/** How each question is answered. Runs inside the sandbox; see ../program.ts. */
import { sniffSource } from "#formats/sniff/sniff.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { inspectBytes } from "#services/conversion/domain/guards/inspect.ts";
import type { Answer, QuestionKind } from "#services/conversion/domain/questions.ts";
import { checkEnds } from "./check-result.ts";
import { tableEncodingOf } from "./dbf-code-pages.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { guessedEncodingOf } from "./text-encoding.ts";

export type More = Readonly<Record<string, unknown>>;

/** The question's files are there, as many as it has. */
type Answering<K extends QuestionKind> = (file: ByteSource, more: More, files: readonly ByteSource[]) => Promise<Answer<K>> | Answer<K>;

export const answering: { readonly [K in QuestionKind]: Answering<K> } = {
  async sniff(file, { fileName, withGuards }) {
    const { format, toldBy, nameDisagrees } = await sniffSource(file, String(fileName));
    const refusal = format === undefined || withGuards !== true ? undefined : await refusalOfFile(file, format);
    return { format, toldBy, nameDisagrees, refusal } as Answer<"sniff">;
  },
  async inspect(file, { format }) {
    await inspectBytes(file, String(format));
    return {};
  },
  async check(file, { format }) {
    await checkEnds(file, String(format));
    return {};
  },
  tableEncoding: async (file) => ({ number: undefined, guess: undefined, ...(await tableEncodingOf(file)) }),
  textEncoding: async (file, { isPage }) => ({ guess: await guessedEncodingOf(file, isPage === true) }),
};

async function refusalOfFile(file: ByteSource, format: string): Promise<Refusal | undefined> {
  try {
    await inspectBytes(file, format);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
