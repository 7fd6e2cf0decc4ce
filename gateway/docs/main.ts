/** `npm run docs`: writes the generated tables into README.md. */
import { readFile, writeFile } from "node:fs/promises";
import { renewSections } from "./sections.ts";

const file = new URL("../../README.md", import.meta.url);
await writeFile(file, renewSections(await readFile(file, "utf8")));
