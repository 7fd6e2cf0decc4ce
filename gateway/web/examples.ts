import { readFile } from "node:fs/promises";
import { type Html, html } from "./html.ts";

/** The programs in `gateway/examples`, which the end-to-end tests run. */
const exampleNames = [
  ...(["rest.sh", "rest.ts", "rest.py", "n8n.json", "webhook.ts", "webhook.py"] as const),
  ...(["grpc.ts", "grpc-convert.py", "grpc-convert.go"] as const),
] as const;
type ExampleName = (typeof exampleNames)[number];
export type Examples = Readonly<Record<ExampleName, string>>;

const ownAddress = "http://127.0.0.1:8080";
let reading: Promise<Examples> | undefined;

/** The programs, with the URL of this deployment filled in. */
export async function examplesFor(baseUrl: string): Promise<Examples> {
  reading ??= readExamples().catch((error: unknown) => {
    reading = undefined;
    throw error;
  });
  const entries = Object.entries(await reading).map(([name, text]) => [name, text.replaceAll(ownAddress, baseUrl)]);
  return Object.fromEntries(entries) as Examples;
}

async function readExamples(): Promise<Examples> {
  const read = async (name: ExampleName) => [name, await readFile(new URL(`../examples/${name}`, import.meta.url), "utf8")] as const;
  return Object.fromEntries(await Promise.all(exampleNames.map(read))) as Examples;
}

/** The same program in several languages. The first is open; opening one closes the others. */
export function exampleGroup(group: string, examples: Examples, shown: readonly (readonly [name: ExampleName, label: string])[]): Html {
  return html`<div class="examples">${shown.map(
    ([name, label], index) =>
      html`<details name="${group}"${index === 0 ? html` open` : ""}><summary>${label} <span class="quiet">${name}</span></summary>
<pre tabindex="0"><code id="example-${name}">${examples[name]}</code></pre></details>
`,
  )}</div>`;
}
