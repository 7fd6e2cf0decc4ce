/** The languages in which text can be recognised on this machine. */
import { invalidOption } from "#contract/errors.ts";
import { matching } from "../shared/options.ts";
import type { ToolSession } from "../shared/tool-run.ts";

export const tesseract = "/usr/bin/tesseract";

export const languageOption = matching(
  "language",
  "^[a-z]{3}(_[a-z]{3,4})?(\\+[a-z]{3}(_[a-z]{3,4})?){0,3}$",
  "Language code (ISO 639-2), several joined by +; each must be installed",
  "eng",
);

/** @throws FilemillError INVALID_OPTION that lists the installed languages. */
export async function assertLanguages(session: ToolSession, asked: string): Promise<void> {
  const end = await session.run({ program: tesseract, args: ["--list-langs"] });
  const installed = end.stdout.split("\n").filter((line) => /^[a-z]{3}(_[a-z]+)?$/.test(line) && line !== "osd");
  if (asked.split("+").every((language) => installed.includes(language))) return;
  throw invalidOption("language", `Text in this language cannot be recognised here; choose from ${installed.join(", ")}.`, installed);
}
