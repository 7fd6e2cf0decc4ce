/** Which kind of files a question is about. */
import type { Converted, Notes, Question } from "../exchange.ts";

const mails = new Set(["eml", "msg", "mbox"]);

export async function convertMailOrCards(bytes: Buffer, question: Question, notes: Notes): Promise<Converted> {
  if (mails.has(question.from)) return await (await import("./convert.ts")).convertMail(bytes, question, notes);
  if (question.from === "mhtml") return await (await import("./saved-page.ts")).convertSavedPage(bytes, notes);
  return await (await import("./cards.ts")).convertCards(bytes, question, notes);
}
