/** `npm run -s pack:client`: packages the command without engines as one file that needs only Node.js. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundled } from "#kit/bundled.ts";

const root = new URL("../../../", import.meta.url);
const folder = new URL(".tmp/client/", root);

const { version, description, license }: Record<string, string> = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await bundled({
  entryPoints: [fileURLToPath(new URL("./main.ts", import.meta.url))],
  outfile: fileURLToPath(new URL("filemill.mjs", folder)),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  // CommonJS libraries load Node's modules with `require`.
  banner: { js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  // Used only by commands that administer a local service, which the client does not have.
  external: ["./connection.ts"],
  minifySyntax: true,
  legalComments: "eof",
  logLevel: "warning",
});
const client = {
  ...{ name: "filemill-client", version, description: `${description} The command-line client.`, license },
  ...{ type: "module", bin: { filemill: "filemill.mjs" }, files: ["filemill.mjs"], engines: { node: ">=22" } },
};
await writeFile(new URL("package.json", folder), `${JSON.stringify(client, null, 2)}\n`);
await writeFile(
  new URL("README.md", folder),
  `# The filemill command

Converts files on a Filemill server.

    export FILEMILL_SERVER=https://files.example.org FILEMILL_API_KEY=fm_…
    npx filemill-client convert report.docx report.pdf
`,
);
