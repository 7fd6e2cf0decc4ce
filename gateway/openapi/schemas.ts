import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { deliveryFailures, resultDeliveryStates } from "#contract/delivery-json.ts";
import { errorTable } from "#contract/errors.ts";
import { jobStatuses } from "#contract/job-json.ts";
import { kinds } from "#formats/index.ts";
import { ref, type Schema } from "#gateway/exchange/endpoint.ts";
import { deliveryStates, eventTypes, webhookStates } from "#gateway/webhook/views.ts";
import { RouteHopSchema, RouteProofSchema, RouteSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FidelitySchema, FormatSchema, NoteSchema, Option_TypeSchema, OptionSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { JobSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { DeliverySchema, WebhookSchema } from "#gen/filemill/webhook/v1/webhook_pb.ts";

const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });
const closed = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** The API's names of a generated enum: lower case, without the unspecified value. */
function wordsOf(desc: DescEnum): string[] {
  return desc.values.filter((value) => value.number !== 0).map((value) => value.localName.toLowerCase());
}

/** JSON Schema of a Protobuf field in the REST API. */
function schemaOfField(field: DescField): Schema {
  switch (field.fieldKind) {
    case "scalar":
      return schemaOfScalar(field.scalar);
    case "enum":
      return { enum: wordsOf(field.enum) };
    case "list":
      if (field.listKind === "scalar") return { type: "array", items: schemaOfScalar(field.scalar) };
      if (field.listKind === "message") return { type: "array", items: ref(field.message.name) };
      return { type: "array", items: { enum: wordsOf(field.enum) } };
    case "message":
      return field.message.typeName === "google.protobuf.Timestamp" ? { type: "string", format: "date-time" } : ref(field.message.name);
    case "map":
      return { type: "object" };
  }
}

function schemaOfScalar(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    default:
      return { type: "integer", minimum: 0 };
  }
}

/** Schemas of the named fields by JSON name. Throws if the message has no such field. */
function fieldsOf(desc: DescMessage, names: readonly string[]): Record<string, Schema> {
  return Object.fromEntries(
    names.map((name) => {
      const field = desc.fields.find((candidate) => candidate.jsonName === name);
      if (field === undefined) throw new RangeError(`${desc.typeName} has no field ${name}`);
      return [name, schemaOfField(field)];
    }),
  );
}

function jobSchema(): Schema {
  const { id, from, to, durationMs, notes, expiresAt, queuePosition, estimateMs, createdAt } = fieldsOf(JobSchema, [
    "id",
    "from",
    "to",
    "durationMs",
    "notes",
    "expiresAt",
    "queuePosition",
    "estimateMs",
    "createdAt",
  ]);
  const url: Schema = { type: "string", format: "uri" };
  const properties: Record<string, Schema | undefined> = {
    id,
    status: { enum: Object.keys(jobStatuses) },
    from,
    to,
    bytes: { type: "integer", minimum: 0, description: "Size of the result; 0 if there is none yet." },
    durationMs,
    notes,
    expiresAt: { ...expiresAt, description: "When the result will be deleted." },
    download: { ...nullable(url), description: "URL of the result, once the job is done." },
    status_url: { ...nullable(url), description: "URL to poll until the job ends." },
    queuePosition: { ...nullable(queuePosition ?? {}), description: "Position in the queue, from 1; 0 when running." },
    estimateMs: { ...nullable(estimateMs ?? {}), description: "Estimated time left." },
    error: nullable(closed({ code: ref("ErrorCode"), message: { type: "string" } })),
    createdAt,
    delivery: deliverySchema(),
  };
  const present: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(properties)) if (schema !== undefined) present[name] = schema;
  return closed(present, ["delivery"]);
}

function deliverySchema(): Schema {
  return {
    ...closed({
      state: { enum: Object.keys(resultDeliveryStates) },
      attempts: { type: "integer", minimum: 0 },
      lastStatus: { ...nullable({ type: "integer" }), description: "Last answer of the server at the address." },
      nextAttemptAt: nullable({ type: "string", format: "date-time" }),
      error: nullable(closed({ code: { enum: Object.keys(deliveryFailures) }, message: { type: "string" } })),
    }),
    description: "State of the delivery to `deliverTo`; absent if none was requested.",
  };
}

function routeDetailSchema(): Schema {
  const hop = closed({
    ...fieldsOf(RouteHopSchema, ["engine", "label", "version", "from", "to", "fidelity"]),
    fidelity: { enum: wordsOf(FidelitySchema) },
  });
  return closed({
    ...fieldsOf(RouteSchema, ["from", "to", "fidelity", "async", "maxInputMb", "options"]),
    fidelity: { enum: wordsOf(FidelitySchema) },
    hops: { type: "array", items: hop, minItems: 1, maxItems: 3, description: "The steps from source to target." },
    expectedNotes: {
      type: "array",
      items: ref("Note"),
      description:
        "The notes that a result can have with the default options; each applies only to files that contain what it is about. Notes about a single file or attempt, such as INPUT_DAMAGED, are not listed.",
    },
    estimateMs: {
      type: ["integer", "null"],
      minimum: 1,
      description: "How long one conversion took recently, across all file sizes; null if there is no data.",
    },
    proof: {
      ...nullable(closed(fieldsOf(RouteProofSchema, ["figures", "reader", "sample", "ms", "date"]))),
      description: "What was measured when the route was executed on a sample.",
    },
  });
}

function optionSchema(): Schema {
  const own = fieldsOf(OptionSchema, ["name", "description", "min", "max", "values", "unit"]);
  return closed(
    {
      name: own.name ?? {},
      type: { enum: wordsOf(Option_TypeSchema) },
      default: { type: ["number", "string", "boolean", "null"], description: "null: the engine decides, as described." },
      ...own,
    },
    ["min", "max", "values", "unit"],
  );
}

function webhookSchemas(): Readonly<Record<string, Schema>> {
  const webhook = closed({
    ...fieldsOf(WebhookSchema, ["id", "url", "description", "createdAt"]),
    events: { type: "array", items: { enum: Object.keys(eventTypes) } },
    state: { enum: Object.keys(webhookStates), description: "gone: the receiver answered 410." },
  });
  const { lastStatus, lastError, createdAt, lastAttemptAt, nextAttemptAt, ...own } = fieldsOf(DeliverySchema, [
    ...["id", "jobId", "attempts", "lastStatus", "lastError", "createdAt", "lastAttemptAt", "nextAttemptAt"],
  ]);
  const moments = { lastAttemptAt: nullable(lastAttemptAt ?? {}), nextAttemptAt: nullable(nextAttemptAt ?? {}) };
  const delivery = closed({
    ...{ ...own, event: { enum: Object.keys(eventTypes) }, state: { enum: Object.keys(deliveryStates) } },
    ...{ lastStatus: nullable(lastStatus ?? {}), lastError: nullable(lastError ?? {}), createdAt: createdAt ?? {}, ...moments },
  });
  return {
    Webhook: webhook,
    WebhookList: closed({ webhooks: { type: "array", items: ref("Webhook") } }),
    NewWebhook: closed({ webhook: ref("Webhook"), secret: { type: ["string", "null"], description: "`whsec_` and base64." } }),
    Delivery: delivery,
    DeliveryList: closed({ deliveries: { type: "array", items: ref("Delivery") } }),
    DeliveryAnswer: closed({ delivery: ref("Delivery") }),
    WebhookMessage: closed({
      type: { enum: Object.keys(eventTypes) },
      timestamp: { type: "string", format: "date-time" },
      data: ref("JobAnswer"),
    }),
  };
}

/** `#/components/schemas` of the API reference. */
export function componentSchemas(): Readonly<Record<string, Schema>> {
  const error = closed(
    { code: ref("ErrorCode"), message: { type: "string" }, requestId: { type: "string" }, details: { type: "object" } },
    ["details"],
  );
  return {
    Job: jobSchema(),
    JobAnswer: closed({ job: ref("Job") }),
    JobList: closed({ jobs: { type: "array", items: ref("Job") }, nextCursor: { type: ["string", "null"] } }),
    Note: closed(fieldsOf(NoteSchema, ["code", "message"])),
    Format: closed({ ...fieldsOf(FormatSchema, ["id", "label", "kind", "extensions", "mime"]), kind: { enum: kinds } }),
    Conversion: closed({
      ...fieldsOf(RouteSchema, ["from", "to", "fidelity", "async", "maxInputMb", "options"]),
      fidelity: { enum: wordsOf(FidelitySchema) },
    }),
    RouteAnswer: closed({ route: routeDetailSchema() }),
    Option: optionSchema(),
    Formats: closed({
      formats: { type: "array", items: ref("Format") },
      conversions: { type: "array", items: ref("Conversion") },
    }),
    ...webhookSchemas(),
    Readiness: closed(
      {
        ready: { type: "boolean" },
        part: { type: "string" },
        parts: { type: "array", items: { type: "string" } },
        sandbox: { const: "degraded" },
        unproven: { type: "array", items: { type: "string" } },
        proving: closed({ done: { type: "integer", minimum: 0 }, of: { type: "integer", minimum: 0 } }),
      },
      ["part", "parts", "sandbox", "unproven", "proving"],
    ),
    ErrorCode: { enum: Object.keys(errorTable) },
    Error: closed({ error, job: ref("Job") }, ["job"]),
    Problem: closed(
      {
        type: { type: "string", format: "uri-reference" },
        title: { type: "string" },
        status: { type: "integer" },
        detail: { type: "string" },
        instance: { type: "string", format: "uri-reference" },
        code: ref("ErrorCode"),
        requestId: { type: "string" },
        details: { type: "object" },
        job: ref("Job"),
      },
      ["details", "job"],
    ),
  };
}
