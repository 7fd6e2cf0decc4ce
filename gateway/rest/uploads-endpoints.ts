import type { ErrorCode } from "#contract/errors.ts";
import { defineEndpoints } from "#gateway/exchange/endpoint.ts";
import { deliverTo } from "./convert-url-endpoint.ts";

const path = "/api/v1/uploads/{id}";
const errors: readonly ErrorCode[] = ["NOT_FOUND"];
/** Chunks and status requests count as reads. The rate limit for conversions applies to the job. */
const ofConverter = { access: "read", scope: "convert", forPages: true, unlisted: true, errors } as const;

/** The tus protocol 1.0 (creation, termination, expiration), for tus clients; described in the README. */
export const uploadEndpoints = defineEndpoints({
  createUpload: {
    ...ofConverter,
    method: "POST",
    path: "/api/v1/uploads",
    summary: "Start a resumable upload",
    answers: { 201: { description: "Created; send the pieces to `Location`." } },
  },
  getUpload: {
    ...ofConverter,
    method: "GET",
    path,
    head: true,
    summary: "Show how much of an upload has arrived",
    answers: { 200: { description: "The upload; HEAD answers as the protocol defines." } },
  },
  continueUpload: {
    ...ofConverter,
    method: "PATCH",
    path,
    summary: "Send the next piece of an upload",
    body: { mediaType: "application/offset+octet-stream", schema: { type: "string", format: "binary" } },
    answers: { 204: { description: "Received; `Upload-Offset` is the total so far." } },
  },
  deleteUpload: {
    ...ofConverter,
    method: "DELETE",
    path,
    summary: "Cancel an upload",
    answers: { 204: { description: "Removed." } },
  },
  convertUpload: {
    method: "POST",
    path: `${path}/convert`,
    summary: "Convert a complete upload",
    access: "convert",
    forPages: true,
    unlisted: true,
    body: {
      mediaType: "application/json",
      schema: {
        type: "object",
        required: ["to"],
        additionalProperties: false,
        properties: {
          to: { type: "string", minLength: 1, maxLength: 64 },
          from: { type: "string", maxLength: 64 },
          name: { type: "string", minLength: 1, maxLength: 255 },
          options: { type: "object", additionalProperties: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] } },
          deliverTo,
        },
      },
    },
    answers: { 200: { description: "The conversion is done." }, 202: { description: "The job is still running." } },
    errors,
  },
});
