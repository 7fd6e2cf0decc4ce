import { curlBlock } from "#gateway/curl-line.ts";
import { type Handler, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { openapiDocument } from "#gateway/openapi/document.ts";
import { type CallSample, callSamples } from "./call-samples.ts";
import { docsFrame } from "./docs-frame.ts";
import { type Examples, examplesFor } from "./examples.ts";
import { deliveryGuide, examplesGuide, grpcGuide, webhookGuide } from "./guides.ts";
import { type Html, html, prose } from "./html.ts";
import { type JsonSchema, propertyRows, schemaSection, typeOf } from "./schema-view.ts";
import { sendPage } from "./shell.ts";

type Parameter = { name: string; in: string; required?: boolean; description: string; schema: JsonSchema };
type Media = Readonly<Record<string, { schema?: JsonSchema }>>;
type Response = { description: string; headers?: Record<string, { description: string }>; content?: Media };
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  security: readonly object[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, Response>;
};
type OpenApi = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, JsonSchema> } };
type Listed = { readonly method: string; readonly path: string; readonly operation: Operation; readonly head: boolean };

/** Grouped by the first path segment after the version. */
const groups = [
  { id: "convert", label: "Convert", words: ["convert", "convert-url"] },
  { id: "jobs", label: "Jobs", words: ["jobs"] },
  { id: "catalogue", label: "Catalogue", words: ["formats", "routes", "openapi.json"] },
  { id: "webhooks", label: "Webhooks", words: ["webhooks"] },
] as const;
const otherGroup = { id: "service", label: "Service" } as const;

/** GET /docs: the API reference, generated from the OpenAPI document, with example programs. */
export const referencePageHandler: Handler = async (context, request, reply) => {
  const baseUrl = requestBaseUrlOf(context, request);
  // Generated here, so its structure is known.
  const document = openapiDocument(context.endpoints, baseUrl) as unknown as OpenApi;
  return sendPage(request, reply, {
    title: "API reference · Filemill",
    description: "Every endpoint of the Filemill API, with parameters, answers and errors.",
    place: "/docs",
    script: "docs",
    main: referenceOf(document, baseUrl, await examplesFor(baseUrl)),
  });
};

function referenceOf(document: OpenApi, baseUrl: string, examples: Examples): Html {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "head")
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        head: method === "get" && methods.head !== undefined,
      })),
  );
  const grouped = Map.groupBy(
    listed,
    ({ path }) => groups.find(({ words }) => words.some((word) => path.split("/")[3] === word)) ?? otherGroup,
  );
  const shown = [...groups, otherGroup].flatMap((group) => {
    const operations = grouped.get(group);
    return operations === undefined ? [] : [{ ...group, operations }];
  });
  const sections = [
    { id: "start", label: "Getting started" },
    { id: "examples", label: "Examples" },
    ...shown.map(({ id, label }) => ({ id: `group-${id}`, label })),
    { id: "webhook-receiver", label: "Receiving webhooks" },
    { id: "delivery", label: "Delivering results" },
    { id: "grpc", label: "gRPC clients" },
    { id: "schemas", label: "Schemas" },
  ];
  const bodies = shown.map(
    ({ id, label, operations }) => html`<section aria-labelledby="group-${id}">
<h2 id="group-${id}">${label}</h2>
${operations.map((each) => operationOf(each, baseUrl))}
</section>
`,
  );
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name !== "ErrorCode");
  return docsFrame(
    "/docs",
    sections,
    html`<h1>API reference</h1>
${startOf(baseUrl)}
${examplesGuide(examples, baseUrl)}
${bodies}
${webhookGuide(examples)}
${deliveryGuide()}
${grpcGuide(examples)}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema))}
</section>`,
  );
}

function startOf(baseUrl: string): Html {
  return html`<p class="lead">One call converts a file. Longer conversions run as jobs.</p>
<section aria-labelledby="start">
<h2 id="start">Getting started</h2>
<p>Create a key on the <a href="/automate">Automate page</a> and send it as <code>Authorization: Bearer &lt;key&gt;</code>. The address of this deployment is
<code>${baseUrl}</code>. Programs read the same reference as <a href="/api/v1/openapi.json">OpenAPI 3.1</a>; errors are listed under <a href="/docs/errors">Errors</a>,
what can be converted under <a href="/docs/formats">Formats</a>.</p>
<pre tabindex="0"><code>${curlBlock({ baseUrl, options: "quality=80" })}</code></pre>
<p>With <code>download=wait</code> the call ends with the file, even if the conversion takes minutes: it then redirects to the result, and any client that
follows redirects waits for it. If the conversion fails, the command writes no file, prints the reason and exits with a non-zero code.</p>
<p>Without <code>download</code>, the answer is the job: how long it took, what was lost, and where the result is. For a conversion that takes longer,
the answer is <code>202</code>: poll its <code>status_url</code>, long-poll it with <code>Prefer: wait=30</code>, or follow <code>/events</code>.</p>
</section>`;
}

function operationOf({ method, path, operation, head }: Listed, baseUrl: string): Html {
  const { parameters = [], requestBody, responses } = operation;
  const isOpen = operation.security.length === 0;
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const codes = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { description }]) => [...description.matchAll(/^`([A-Z_]+)`:/gm)].flatMap(([, code]) => code ?? []));
  return html`<article class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h3 id="${operation.operationId}-title">${operation.summary}</h3>
<p class="endpoint"><span class="method method-${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="quiet">${isOpen ? "no key needed" : "needs a key"}${head ? ", HEAD too" : ""}</span></p>
${operation.description === undefined ? "" : html`<p>${prose(operation.description)}</p>`}
${samplesOf(callSamples(method, path, operation, baseUrl), operation)}
${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${requestBody === undefined ? "" : Object.entries(requestBody.content).map(([type, { schema }]) => html`<h4>Body <code>${type}</code></h4>${propertyRows(schema ?? {})}`)}
<h4>Answers</h4>
<dl class="answers">${good.map(answerOf)}</dl>
${codes.length === 0 ? "" : html`<details class="codes"><summary>Errors it may answer (${codes.length})</summary><p>${codes.map((code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> `)}</p></details>`}
</article>
`;
}

/** Samples one below the other. The page's script lets the reader choose one language for all of them. */
function samplesOf(samples: readonly CallSample[], { operationId, summary }: Operation): Html {
  const blocks = samples.map(
    ({
      language,
      label,
      code,
    }) => html`<div class="sample" data-language="${language}" data-label="${label}"><p class="sample-label">${label}</p>
<pre tabindex="0"><code id="call-${operationId}-${language}">${code}</code></pre></div>
`,
  );
  return html`<div class="samples" data-title="${summary}">${blocks}</div>`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    ({
      name,
      in: place,
      required,
      description,
      schema,
    }) => html`<div><dt><code>${name}</code> <span class="quiet">${place}, ${typeOf(schema)}${required === true ? ", required" : ""}</span></dt><dd>${prose(description)}</dd></div>
`,
  );
  return html`<dl class="properties">${rows}</dl>`;
}

function answerOf([status, { description, content, headers = {} }]: readonly [string, Response]): Html {
  const media = Object.entries(content ?? {}).map(
    ([type, { schema }]) => html` <span class="quiet"><code>${type}</code> ${typeOf(schema ?? {})}</span>`,
  );
  const rows = Object.entries(headers).map(([name, header]) => html`<li><code>${name}</code> ${prose(header.description)}</li>`);
  return html`<div><dt><span class="status-number">${status}</span>${media}</dt><dd>${prose(description)}${rows.length === 0 ? "" : html`<ul class="headers">${rows}</ul>`}</dd></div>
`;
}
