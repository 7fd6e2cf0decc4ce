/** The documentation's examples, run as a reader would. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";

const server = opened(startServer);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-examples-"));
  await sharp({ create: { width: 40, height: 20, channels: 3, background: "#204060" } })
    .png()
    .toFile(join(folder, "in.png"));
  await writeFile(join(folder, "broken.png"), Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const own = "http://127.0.0.1:8080";
/** Those that do not depend on the repository are copied from /docs. */
const copied = ["rest.sh", "rest.ts", "rest.py"];

/** An example as shown in /docs. */
async function shown(name: string): Promise<string> {
  const page = await (await fetch(`${server.url}/docs`)).text();
  const [, text = ""] = new RegExp(`<code id="example-${name}">([\\s\\S]*?)</code>`).exec(page) ?? [];
  const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(\w+|#\d+);/g, (whole, sign: string) => signs[sign] ?? whole);
}

async function fileOf(name: string): Promise<string> {
  if (!copied.includes(name)) return `gateway/examples/${name}`;
  const path = join(folder, name);
  await writeFile(path, await shown(name));
  return path;
}

const examples = [
  ["rest.sh", "bash"],
  ["rest.ts", process.execPath],
  ["rest.py", "/usr/bin/python3"],
  ["grpc.ts", process.execPath],
  ["grpc-convert.py", "/usr/bin/python3"],
] as const;

async function run(program: string, name: string, input: string, output: string) {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: "gen/python",
    PYTHONDONTWRITEBYTECODE: "1",
    FILEMILL_SERVER: server.url,
    FILEMILL_RPC: name.endsWith(".py") ? new URL(server.rpcUrl).host : server.rpcUrl,
    FILEMILL_API_KEY: server.key,
    DATA_DIR: server.dataDir,
  };
  return promisify(execFile)(program, [await fileOf(name), join(folder, input), "webp", join(folder, output)], { env });
}

const names = ["rest.sh", "rest.ts", "rest.py", "n8n.json", "webhook.ts", "webhook.py", "grpc.ts", "grpc-convert.py", "grpc-convert.go"];
test.each(names)("/docs shows %s unchanged except for this server's address", async (name) => {
  const text = await readFile(`gateway/examples/${name}`, "utf8");
  expect(await shown(name)).toBe(text.replaceAll(own, server.url));
});

test.each(examples)("%s converts a file", async (name, program) => {
  await run(program, name, "in.png", `${name}.webp`);
  expect(await sharp(await readFile(join(folder, `${name}.webp`))).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
});

test.each(examples)("%s fails for a damaged file and prints the reason", async (name, program) => {
  await expect(run(program, name, "broken.png", `${name}.broken.webp`)).rejects.toThrow(/damaged|truncated|INVALID_INPUT|422/i);
});

/**
 * Debian: golang-go, golang-google-grpc-dev, golang-github-golang-protobuf-1-5-dev,
 * protoc-gen-go-1-5 and protoc-gen-go-grpc. Not installed on every test machine.
 */
const goFiles = [
  "/usr/bin/go",
  "/usr/bin/protoc-gen-go",
  "/usr/bin/protoc-gen-go-grpc",
  "/usr/share/gocode/src/github.com/golang/protobuf/proto/proto.go",
];

test.skipIf(!goFiles.every((path) => existsSync(path)))(
  "grpc-convert.go, with the client that buf generates, converts a file",
  async () => {
    const exec = promisify(execFile);
    // The template writes to gen/go; a program without a module finds it in src/ under its GOPATH.
    const template = (await readFile("gateway/examples/buf.gen.go.yaml", "utf8")).replaceAll("out: gen/go", "out: src/filemill/gen");
    await writeFile(join(folder, "buf.gen.yaml"), template);
    await exec("node_modules/.bin/buf", ["generate", "--template", join(folder, "buf.gen.yaml"), "--output", folder]);
    const go = { PATH: process.env.PATH, HOME: process.env.HOME, GO111MODULE: "off", GOPATH: `${folder}:/usr/share/gocode` };
    const program = join(folder, "grpc-convert");
    await exec("/usr/bin/go", ["build", "-o", program, "gateway/examples/grpc-convert.go"], { env: go });
    const env = { FILEMILL_RPC: new URL(server.rpcUrl).host, FILEMILL_API_KEY: server.key, DATA_DIR: server.dataDir };
    await exec(program, [join(folder, "in.png"), "webp", join(folder, "go.webp")], { env });
    expect(await sharp(await readFile(join(folder, "go.webp"))).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
    await expect(exec(program, [join(folder, "broken.png"), "webp", join(folder, "no.webp")], { env })).rejects.toThrow(
      /damaged|truncated/i,
    );
  },
);

type Field = { readonly parameterType: string; readonly name: string; readonly value?: string; readonly inputDataFieldName?: string };

test("n8n.json is a connected workflow, and its request converts a file", async () => {
  const { nodes, connections } = JSON.parse(await shown("n8n.json"));
  const order = ["Start", "Read the file", "Convert it", "Write the result"];
  expect(nodes.map(({ name }: { name: string }) => name)).toEqual(order);
  for (const [index, name] of order.slice(0, -1).entries()) expect(connections[name].main[0][0].node).toBe(order[index + 1]);
  const [, read, { parameters: asked }, write] = nodes;
  expect(asked).toMatchObject({ contentType: "multipart-form-data", genericAuthType: "httpBearerAuth", sendBody: true });
  const form = new FormData();
  for (const { parameterType, name, value = "", inputDataFieldName } of asked.bodyParameters.parameters as Field[]) {
    if (parameterType === "formBinaryData") expect(inputDataFieldName).toBe(read.parameters.options.dataPropertyName);
    form.set(name, parameterType === "formBinaryData" ? new File([await readFile(join(folder, "in.png"))], "in.png") : value);
  }
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(asked.url, { method: asked.method, headers, body: form });
  expect(asked.options.response.response).toEqual({ responseFormat: "file", outputPropertyName: write.parameters.dataPropertyName });
  expect(await sharp(await answer.bytes()).metadata()).toMatchObject({ format: "webp", width: 40, height: 20 });
});
