import { jobStatuses } from "#contract/job-json.ts";
import { type Answer, defineEndpoints, type Parameter, ref } from "#gateway/exchange/endpoint.ts";
import { catalogueEndpoints } from "./catalogue-endpoints.ts";
import { conversionErrors, convertUrlEndpoints } from "./convert-url-endpoint.ts";

const jobId: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The job's id.",
  schema: { type: "string", pattern: "^[0-9a-z]{26}$" },
};

const wait: Parameter = {
  name: "Prefer",
  in: "header",
  description: "`wait=N` holds the answer until the job ends, for up to N seconds (at most 60).",
  schema: { type: "string", examples: ["wait=30"] },
};

const artifactHeaders = {
  "Content-Disposition": "attachment, with the source's base name and the target's extension",
  ETag: "strong, derived from the content",
  "Repr-Digest": "SHA-256 of the whole result (RFC 9530)",
  "X-Job-Id": "id of the job",
  "X-Duration-Ms": "duration of the conversion",
  "X-Notes": "the job's notes as JSON, if there are any",
};

const artifact: Answer = {
  description: "The bytes of the result, in the target's media type.",
  mediaType: "*/*",
  schema: { type: "string", format: "binary" },
  headers: artifactHeaders,
};

const oneJob = (description: string, headers?: Answer["headers"]): Answer => ({
  description,
  mediaType: "application/json",
  schema: ref("JobAnswer"),
  ...(headers === undefined ? {} : { headers }),
});

/** Endpoints for conversions, jobs, the catalogue, and the state of the service. */
export const restEndpoints = defineEndpoints({
  convert: {
    method: "POST",
    path: "/api/v1/convert",
    summary: "Convert a file",
    description:
      "Two multipart fields, `to` and `file`, in either order. Conversion options (see `GET /api/v1/formats`) go into the query string.",
    access: "convert",
    forPages: true,
    parameters: [
      {
        name: "download",
        in: "query",
        description:
          "1: answer with the result instead of the job if the conversion ends while the request waits. wait: always answer with the result; if the conversion takes longer, the answer is 303, and following redirects leads to the result.",
        schema: { enum: ["0", "1", "wait", "false", "true"] },
      },
      { name: "from", in: "query", description: "Source format; overrides detection.", schema: { type: "string", maxLength: 16 } },
      {
        name: "options",
        in: "query",
        description: "Conversion options by name, for example `quality=80&width=640`.",
        schema: { type: "object", additionalProperties: { type: "string" } },
      },
      {
        name: "Idempotency-Key",
        in: "header",
        description: "A repeated request with the same key within 24 h returns the first job.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
      {
        name: "X-Input-Password",
        in: "header",
        description:
          "The password of a protected file, as percent-encoded UTF-8. It is kept in memory until the job ends, and nowhere else.",
        schema: { type: "string", minLength: 1, maxLength: 6144 },
      },
      {
        name: "X-Output-Password",
        in: "header",
        description:
          "A password to protect the result with, as percent-encoded UTF-8, for conversions with the option `protect`. It is kept like X-Input-Password.",
        schema: { type: "string", minLength: 1, maxLength: 6144 },
      },
      {
        name: "Prefer",
        in: "header",
        description: "`respond-async` queues the job and answers 202 immediately; `wait=N` waits at most N seconds before 202.",
        schema: { type: "string", examples: ["respond-async", "wait=5"] },
      },
    ],
    body: {
      mediaType: "multipart/form-data",
      schema: {
        type: "object",
        required: ["to", "file"],
        additionalProperties: false,
        properties: {
          to: {
            type: "string",
            description: "Target format id; case, a leading dot and a known extension are accepted.",
            examples: ["webp"],
          },
          file: { type: "string", format: "binary", description: "The file; its format is detected by content, then by name." },
        },
      },
    },
    answers: {
      200: oneJob("The conversion is done. With `download=1`: the bytes, with the headers of the download endpoint.", {
        "Idempotent-Replayed": "true when an earlier request created this job",
      }),
      202: oneJob("The job is still running; poll `status_url`.", {
        Location: "URL of the job, as in `status_url`",
        "Retry-After": "seconds to wait before polling",
        "Preference-Applied": "the preference that was followed",
      }),
      303: {
        description: "With `download=wait`: the job is still running; the result will be at this URL.",
        headers: { Location: "URL of the result" },
      },
    },
    errors: [...conversionErrors, "MISSING_FIELD", "UNEXPECTED_FIELD", "REQUEST_TIMEOUT", "RESULT_EXPIRED"],
  },
  ...convertUrlEndpoints,
  listJobs: {
    method: "GET",
    path: "/api/v1/jobs",
    summary: "List the account's jobs, newest first",
    access: "read",
    forPages: true,
    head: true,
    parameters: [
      { name: "status", in: "query", description: "Only jobs in this state.", schema: { enum: Object.keys(jobStatuses) } },
      {
        name: "limit",
        in: "query",
        description: "Maximum number of jobs.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
      { name: "cursor", in: "query", description: "`nextCursor` of the previous page.", schema: { type: "string", maxLength: 200 } },
    ],
    answers: { 200: { description: "A page of jobs.", mediaType: "application/json", schema: ref("JobList") } },
    errors: [],
  },
  getJob: {
    method: "GET",
    path: "/api/v1/jobs/{id}",
    summary: "Get a job",
    access: "read",
    forPages: true,
    head: true,
    parameters: [jobId, wait],
    answers: { 200: oneJob("The job.", { "Retry-After": "while unfinished: seconds to wait before polling" }) },
    errors: ["JOB_NOT_FOUND"],
  },
  deleteJob: {
    method: "DELETE",
    path: "/api/v1/jobs/{id}",
    summary: "Cancel a job, or delete it with its result",
    access: "read",
    scope: "convert",
    forPages: true,
    parameters: [jobId],
    answers: { 204: { description: "Gone." } },
    errors: ["JOB_NOT_FOUND"],
  },
  jobEvents: {
    method: "GET",
    path: "/api/v1/jobs/{id}/events",
    summary: "Stream a job's events",
    description:
      'One event `job` at once and after each change, its data being `{ "job" }` and, where the engine tells, `"progress"` from 0 to 1; the stream ends when the job has ended.',
    access: "read",
    forPages: true,
    parameters: [
      jobId,
      {
        name: "Last-Event-ID",
        in: "header",
        description: "ID of the last event seen. Only newer events are sent; 204 if no more will come.",
        schema: { type: "string", pattern: "^\\d{1,19}$" },
      },
    ],
    answers: {
      200: { description: "The stream of events.", mediaType: "text/event-stream", schema: { type: "string" } },
      204: { description: "The job has ended, and the client has seen that event." },
    },
    errors: ["JOB_NOT_FOUND"],
  },
  download: {
    method: "GET",
    path: "/api/v1/jobs/{id}/download",
    summary: "Download a job's result",
    access: "read",
    forPages: true,
    head: true,
    parameters: [
      jobId,
      {
        name: "wait",
        in: "query",
        description: "1: hold the answer until the job ends. After a while, a 307 redirects to the same URL again.",
        schema: { enum: ["1"] },
      },
      { name: "Range", in: "header", description: "One byte range.", schema: { type: "string", examples: ["bytes=0-1023"] } },
      { name: "If-Range", in: "header", description: "Apply Range only to this ETag.", schema: { type: "string" } },
      { name: "If-None-Match", in: "header", description: "Answer 304 if the result still has this ETag.", schema: { type: "string" } },
    ],
    answers: {
      200: artifact,
      206: { ...artifact, description: "The part of the result requested by Range." },
      304: { description: "Not modified." },
      307: { description: "With `wait=1`: not done yet; ask again at once.", headers: { Location: "the same address" } },
      416: { description: "The range is outside the result.", mediaType: "application/json", schema: ref("Error") },
    },
    errors: ["JOB_NOT_FOUND", "JOB_NOT_DONE", "JOB_FAILED", "JOB_CANCELLED", "RESULT_EXPIRED"],
  },
  ...catalogueEndpoints,
  openapi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    summary: "This document",
    access: "public",
    head: true,
    answers: { 200: { description: "OpenAPI 3.1.", mediaType: "application/json", schema: { type: "object" } } },
    errors: [],
  },
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Check that the process is alive",
    access: "public",
    head: true,
    answers: { 200: { description: "The process is alive.", mediaType: "application/json", schema: { type: "object" } } },
    errors: [],
  },
  ready: {
    method: "GET",
    path: "/readyz",
    summary: "Check that conversions are accepted",
    access: "public",
    head: true,
    answers: {
      200: { description: "Conversions are accepted.", mediaType: "application/json", schema: ref("Readiness") },
      503: {
        description: "Not ready; `parts` lists everything that is missing or broken, `part` names the first.",
        mediaType: "application/json",
        schema: ref("Readiness"),
      },
    },
    errors: [],
  },
  metrics: {
    method: "GET",
    path: "/metrics",
    summary: "Prometheus metrics, for this host and for clients with METRICS_TOKEN",
    access: "public",
    unlisted: true,
    head: true,
    answers: { 200: { description: "Prometheus text format.", mediaType: "text/plain", schema: { type: "string" } } },
    errors: ["NOT_FOUND"],
  },
});
