import { createHash } from "node:crypto";
import { type ErrorCode, errorTable, statusesOf } from "#contract/errors.ts";
import { accessErrors, type Endpoint, generalErrors, type Schema } from "#gateway/exchange/endpoint.ts";
import { type Handler, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { noneMatchHits } from "#gateway/http/validators.ts";
import { eventTypes } from "#gateway/webhook/views.ts";
import { componentSchemas } from "./schemas.ts";

/** All error codes of an endpoint. */
export function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  return [...(endpoint.access === "public" ? [] : accessErrors), ...endpoint.errors, ...generalErrors];
}

/** The OpenAPI 3.1 document of the listed endpoints. `serverUrl` is the address that the client used. */
export function openapiDocument(endpoints: Readonly<Record<string, Endpoint>>, serverUrl: string): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [id, endpoint] of Object.entries(endpoints)) {
    if (endpoint.unlisted === true) continue;
    const item = paths[endpoint.path] ?? {};
    paths[endpoint.path] = item;
    item[endpoint.method.toLowerCase()] = operationOf(id, endpoint);
    if (endpoint.head === true) item.head = headOf(id, endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Filemill",
      version: "1",
      summary: "Convert files with one call.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    paths,
    webhooks: Object.fromEntries(Object.keys(eventTypes).map((type) => [type, messageOf(type)])),
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `fm_` and 49 characters. It can be limited to the scopes `convert` and `read`.",
        },
      },
      schemas: componentSchemas(),
    },
  };
}

/** The message that a webhook's receiver gets. */
function messageOf(type: string): Schema {
  const header = (name: string, description: string): Schema => ({
    name,
    in: "header",
    description,
    required: true,
    schema: { type: "string" },
  });
  return {
    post: {
      summary: `Sent for the event ${type}`,
      parameters: [
        header("webhook-id", "The same for every attempt."),
        header("webhook-timestamp", "Time of this attempt, in seconds since 1970."),
        header("webhook-signature", "Signatures of id, timestamp and body, one for each secret, as defined by Standard Webhooks 1.0."),
      ],
      requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/WebhookMessage" } } } },
      responses: { "2XX": { description: "Taken." }, 410: { description: "Disables the webhook." } },
    },
  };
}

function operationOf(id: string, endpoint: Endpoint): Schema {
  return {
    operationId: id,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    security: endpoint.access === "public" ? [] : [{ key: [endpoint.scope ?? endpoint.access] }],
    ...(endpoint.parameters === undefined ? {} : { parameters: endpoint.parameters.map(parameterOf) }),
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: { [endpoint.body.mediaType]: { schema: endpoint.body.schema } } } }),
    responses: responsesOf(endpoint),
  };
}

function headOf(id: string, endpoint: Endpoint): Schema {
  const responses: Record<string, Schema> = {};
  for (const [status, response] of Object.entries(responsesOf(endpoint))) {
    if (status !== "206" && status !== "416") responses[status] = withoutContent(response);
  }
  return { ...operationOf(`${id}Head`, endpoint), responses };
}

function withoutContent(response: Schema): Schema {
  const { content: _content, ...rest } = response;
  return rest;
}

function parameterOf(parameter: NonNullable<Endpoint["parameters"]>[number]): Schema {
  // A route's options are separate query parameters: an exploded object in OpenAPI's form style.
  const free = parameter.schema.type === "object" ? { style: "form", explode: true } : {};
  return { ...parameter, ...free };
}

function responsesOf(endpoint: Endpoint): Record<string, Schema> {
  const responses: Record<string, Schema> = {};
  for (const [status, answer] of Object.entries(endpoint.answers)) {
    const headers = Object.entries(answer.headers ?? {}).map(([name, description]) => [name, { description, schema: { type: "string" } }]);
    const schema = answer.schema === undefined ? {} : { schema: answer.schema };
    responses[status] = {
      description: answer.description,
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
      ...(answer.mediaType === undefined ? {} : { content: { [answer.mediaType]: schema } }),
    };
  }
  const refusals = errorCodesOf(endpoint).flatMap((code) => statusesOf(code).map((status) => ({ status, code })));
  for (const [status, answers] of Map.groupBy(refusals, ({ status }) => status)) {
    // /readyz has its own format for 503.
    responses[status] ??= {
      description: answers.map(({ code }) => `\`${code}\`: ${errorTable[code].when}.`).join("\n\n"),
      headers: { "X-Error": { description: "Code and message on one line.", schema: { type: "string" } } },
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/Error" } },
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      },
    };
  }
  return responses;
}

/** GET /api/v1/openapi.json. */
export const openapiHandler: Handler = async (context, request, reply) => {
  // The document contains the address that the client used. If the client can choose it, shared caches must not store the answer.
  const scope = context.settings.PUBLIC_URL === undefined ? "private" : "public";
  const body = JSON.stringify(openapiDocument(context.endpoints, requestBaseUrlOf(context, request)));
  const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
  reply.headers({ "cache-control": `${scope}, max-age=3600`, etag, "access-control-allow-origin": "*" });
  if (noneMatchHits(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.header("content-type", "application/json").send(Buffer.from(body));
};
