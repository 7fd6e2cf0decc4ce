/** The properties of a Word document, for the library. */
import type { Said } from "../read.ts";

/** Without an author and an editor, the library would name one. */
export const aboutOf = ({ title, subject, keywords, author: creator = "" }: Said) => ({
  ...Object.fromEntries(Object.entries({ title, subject, keywords }).filter(([, value]) => value !== undefined)),
  ...{ creator, lastModifiedBy: "" },
});
