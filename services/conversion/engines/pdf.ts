/** PDF as a web page with headings, lists, tables, code and pictures, by pdf.js in a sandboxed worker; other documents are made of that. */
import { defineEngine, type Hop, type OptionDefinition } from "../domain/engine.ts";
import { expectingAll } from "../domain/expectations.ts";
import { openWorker, probeWorker } from "./node-worker.ts";

const worker = { work: "pdf", packages: ["pdfjs-dist"] };

const pages: OptionDefinition = {
  name: "pages",
  type: "string",
  pattern: "^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?){0,20}$",
  description: "Pages to convert, for example `1-3,7`",
};

const hops: readonly Hop[] = [
  {
    from: "pdf",
    to: "html",
    fidelity: "reduced",
    cost: 60,
    async: false,
    maxInputMb: 100,
    options: [pages],
    expects: expectingAll("TEXT_NOT_RECOGNISED"),
  },
];

export const pdfEngine = defineEngine({
  id: "pdf",
  label: "Filemill PDF",
  lane: "document",
  packages: [],
  hops,
  badInput: [],
  probe: (sandbox) => probeWorker(sandbox, worker),
  open: (host) => openWorker(host, worker),
});
