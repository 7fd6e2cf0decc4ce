/** `npm run docs`: writes the generated tables into README.md and SECURITY.md. */
import { readFile, writeFile } from "node:fs/promises";
import { attackSectionsOf } from "./attacks.ts";
import { renewSections, sections } from "./sections.ts";

const root = new URL("../../", import.meta.url);
const results = JSON.parse(await readFile(new URL("test/attacks/results.json", root), "utf8"));
await renew("README.md", sections);
await renew("services/conversion/SECURITY.md", attackSectionsOf(results));

async function renew(path: string, from: typeof sections): Promise<void> {
  const file = new URL(path, root);
  await writeFile(file, renewSections(await readFile(file, "utf8"), from));
}
