/**
 * Sample calls for the API reference in several languages, generated from the endpoint's description. The end-to-end tests run all of them.
 */
import { curlBlock, curlToFile } from "#gateway/curl-line.ts";
import type { JsonSchema } from "./schema-view.ts";

/** The parts of an OpenAPI operation that a sample needs. */
export type Described = {
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};

export type CallSample = { readonly language: "curl" | "typescript" | "python"; readonly label: string; readonly code: string };

/** Type of the answer, which decides how a sample reads it. */
type Answer = "json" | "bytes" | "events" | "nothing";
type Call = {
  readonly method: string;
  readonly baseUrl: string;
  readonly url: string;
  /** Environment variables in the path, in order. */
  readonly variables: readonly string[];
  readonly hasKey: boolean;
  readonly upload: boolean;
  readonly json: object | undefined;
  readonly answer: Answer;
};

const keyVariable = "FILEMILL_API_KEY";
const resultName = "result.webp";

/** @param path - With parameters in braces. Those with an example are filled in; the others become environment variables such as JOB_ID. */
export function callSamples(method: string, path: string, operation: Described, baseUrl: string): readonly CallSample[] {
  const call = callOf(method, path, operation, baseUrl);
  return [
    { language: "curl", label: "curl", code: curlOf(call) },
    { language: "typescript", label: "TypeScript", code: typescriptOf(call) },
    { language: "python", label: "Python", code: pythonOf(call) },
  ];
}

function callOf(method: string, path: string, { security, parameters = [], requestBody, responses }: Described, baseUrl: string): Call {
  const variables: string[] = [];
  const filled = path.replaceAll(/(?:(\w{1,40})\/)?\{(\w+)\}/g, (_, before: string | undefined, name: string) => {
    const lead = before === undefined ? "" : `${before}/`;
    const example = parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.schema.examples?.[0];
    if (example !== undefined) return `${lead}${String(example)}`;
    variables.push(variableOf(name, before));
    return `${lead}{${variables.at(-1)}}`;
  });
  const [type = "", { schema } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const upload = type === "multipart/form-data";
  return {
    method,
    baseUrl,
    // For uploads, the sample waits for the result, however long it takes.
    url: `${baseUrl}${filled}${upload ? "?download=wait" : ""}`,
    variables,
    hasKey: security.length > 0,
    upload,
    json: type === "application/json" && schema !== undefined ? exampleOf(schema) : undefined,
    answer: upload ? "bytes" : answerOf(responses),
  };
}

/** `jobs/{id}` becomes JOB_ID, `{deliveryId}` becomes DELIVERY_ID. */
function variableOf(name: string, before = ""): string {
  return name === "id" ? `${before.replace(/s$/, "").toUpperCase()}_ID` : name.replaceAll(/([A-Z])/g, "_$1").toUpperCase();
}

/** The required members that have examples, or else the first member with an example. */
function exampleOf({ properties = {}, required = [] }: JsonSchema): object {
  const shown = Object.entries(properties).filter(([, { examples }]) => examples !== undefined);
  const needed = shown.filter(([name]) => required.includes(name));
  const chosen = needed.length > 0 ? needed : shown.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, { examples }]) => [name, examples?.[0]]));
}

function answerOf(responses: Described["responses"]): Answer {
  const content = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content;
  const type = Object.keys(content ?? {})[0];
  if (type === undefined) return "nothing";
  return type === "application/json" ? "json" : type === "text/event-stream" ? "events" : "bytes";
}

function curlOf({ method, baseUrl, url, hasKey, upload, json, answer }: Call): string {
  if (upload) return curlBlock({ baseUrl, key: `$${keyVariable}`, result: resultName });
  // Errors are printed but never written to the result file.
  const first = answer === "bytes" ? [curlToFile] : ["curl --fail-with-body"];
  if (answer === "events") first.push("--no-buffer");
  if (method !== (json !== undefined ? "POST" : "GET")) first.push(`-X ${method}`);
  const lines = [
    first.join(" "),
    ...(hasKey ? [`-H "Authorization: Bearer $${keyVariable}"`] : []),
    ...(json === undefined ? [] : [`--json '${JSON.stringify(json)}'`]),
    ...(answer === "bytes" ? [`-o ${resultName}`] : []),
    `"${url.replaceAll(/\{(\w+)\}/g, "$$$1")}"`,
  ];
  return lines.join(" \\\n  ");
}

function typescriptOf({ method, url, variables, hasKey, upload, json, answer }: Call): string {
  const environment = [...(hasKey ? [keyVariable] : []), ...variables];
  const headers = [
    ...(hasKey ? [`authorization: \`Bearer \${${keyVariable}}\``] : []),
    ...(json === undefined ? [] : [`"content-type": "application/json"`]),
  ];
  const init = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(upload ? ["body: form"] : []),
    ...(json === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(json)})`]),
  ];
  const address = variables.length === 0 ? `"${url}"` : `\`${url.replaceAll("{", "${")}\``;
  const imports = [
    ...(upload ? ['import { openAsBlob } from "node:fs";'] : []),
    ...(answer === "bytes" ? ['import { writeFile } from "node:fs/promises";'] : []),
  ];
  return [
    ...(imports.length === 0 ? [] : [...imports, ""]),
    ...(environment.length === 0 ? [] : [`const { ${environment.join(", ")} } = process.env;`]),
    ...(upload
      ? ["const form = new FormData();", 'form.set("to", "webp");', 'form.set("file", await openAsBlob("photo.jpg"), "photo.jpg");']
      : []),
    init.length === 0
      ? `const answer = await fetch(${address});`
      : `const answer = await fetch(${address}, {\n  ${init.join(",\n  ")},\n});`,
    "if (!answer.ok) throw new Error(await answer.text());",
    ...typescriptEnd[answer],
  ].join("\n");
}

const typescriptEnd: Readonly<Record<Answer, readonly string[]>> = {
  json: ["console.log(await answer.json());"],
  bytes: [`await writeFile("${resultName}", answer.body ?? "");`],
  events: ["for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) console.log(text);"],
  nothing: [],
};

function pythonOf({ method, url, variables, hasKey, upload, json, answer }: Call): string {
  const usesEnvironment = hasKey || variables.length > 0;
  const address = variables.length === 0 ? `"${url}"` : `f"${url.replaceAll(/\{(\w+)\}/g, "{os.environ['$1']}")}"`;
  const given = [
    address,
    ...(hasKey ? [`headers={"Authorization": f"Bearer {os.environ['${keyVariable}']}"}`] : []),
    ...(upload ? ['data={"to": "webp"}', 'files={"file": open("photo.jpg", "rb")}'] : []),
    ...(json === undefined ? [] : [`json=${pythonLiteral(json)}`]),
    ...(answer === "events" || answer === "bytes" ? ["stream=True"] : []),
  ];
  return [
    ...(usesEnvironment ? ["import os", ""] : []),
    "import requests",
    "",
    `answer = requests.${method.toLowerCase()}(\n    ${given.join(",\n    ")},\n)`,
    "answer.raise_for_status()",
    ...pythonEnd[answer],
  ].join("\n");
}

const pythonEnd: Readonly<Record<Answer, readonly string[]>> = {
  json: ["print(answer.json())"],
  bytes: [`with open("${resultName}", "wb") as file:`, "    for chunk in answer.iter_content(65536):", "        file.write(chunk)"],
  events: ["for line in answer.iter_lines(decode_unicode=True):", "    print(line)"],
  nothing: [],
};

function pythonLiteral(value: object): string {
  return JSON.stringify(value).replaceAll(/\b(true|false|null)\b/g, (word) => ({ true: "True", false: "False" })[word] ?? "None");
}
