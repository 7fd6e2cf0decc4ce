import { expect, it } from "vitest";
import { chromiumEngine } from "#services/conversion/engines/documents/chromium.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";
import { documentOf, doesHold, printFeatures } from "./print-features.ts";
import { printedOf } from "./printed.ts";

const convert = converting(chromiumEngine);

/** Not supported by the browser yet; remove one from here once it works. */
const unknown = ["running heads of the text (string-set)", "page numbers of others (target-counter)", "footnotes", "blending"];

/** A quarter of them per run; `npm run bench -- print` covers all. */
const first = Math.floor(Math.random() * 4);
const chosen = printFeatures.filter(({ name }, index) => index % 4 === first && !unknown.includes(name));

it.each(chosen)("prints as CSS requires: $name", async (feature) => {
  const { path } = await convert(documentOf(feature), "html", "pdf");
  expect(await doesHold(feature, await printedOf(path))).toBe(true);
});
