/**
 * `npm run docs`: writes the generated tables in README.md, REFERENCE.md, SECURITY.md and FORMATS.md, and the seccomp profile for
 * containers.
 */
import { readFile, writeFile } from "node:fs/promises";
import { parseProofFile } from "#services/catalogue/domain/proof.ts";
import { profileText } from "#services/conversion/sandbox/container-profile.ts";
import { attackSectionsOf } from "./attacks.ts";
import { judgedSectionsOf } from "./judged.ts";
import { ownFigureSectionsOf } from "./own-figures.ts";
import { formatPageSectionsOf, provenRoutes, provenSectionsOf } from "./proven.ts";
import { renewSections, sections } from "./sections.ts";

const root = new URL("../../", import.meta.url);
const results = JSON.parse(await readFile(new URL("test/attacks/results.json", root), "utf8"));
const judgements = JSON.parse(await readFile(new URL("test/prove/judges/judgements.json", root), "utf8"));
const ownFigures = JSON.parse(await readFile(new URL("test/prove/own/own-figures.json", root), "utf8"));
const proof = parseProofFile(await readFile(new URL("services/catalogue/proof.tsv", root), "utf8").catch(() => ""));
const routes = provenRoutes(proof);
await renew("README.md", { ...sections, ...provenSectionsOf(routes) });
await renew("services/REFERENCE.md", sections);
if (proof.rows.length > 0)
  await renew("services/catalogue/FORMATS.md", {
    ...formatPageSectionsOf(proof, routes),
    ...ownFigureSectionsOf(ownFigures),
    ...judgedSectionsOf(judgements),
  });
await renew("services/conversion/SECURITY.md", attackSectionsOf(results));
await writeFile(new URL(".docker/seccomp.json", root), profileText());

async function renew(path: string, from: typeof sections): Promise<void> {
  const file = new URL(path, root);
  await writeFile(file, renewSections(await readFile(file, "utf8"), from));
}
