import { defineEndpoints, ref } from "#gateway/exchange/endpoint.ts";

const job = (description: string) => ({ description, mediaType: "application/json", schema: ref("JobAnswer") });

export const deliverTo = {
  type: "string",
  minLength: 1,
  maxLength: 8000,
  description:
    "An https address, such as a pre-signed one of an object store, to which the result is sent by PUT, with its Content-Type and Content-Length, when the job is done. Redirects are not followed. Where there is no answer, or 408, 425, 429 or 5xx, it is tried again as webhooks are. The job's `delivery` says how far it is.",
  examples: ["https://bucket.s3.amazonaws.com/photo.webp?X-Amz-Signature=…"],
} as const;

/** What a conversion may end with, wherever its file comes from. */
export const conversionErrors = [
  "UNSUPPORTED_MEDIA_TYPE",
  "INVALID_OPTION",
  "INPUT_TOO_LARGE",
  "UNKNOWN_SOURCE_FORMAT",
  "UNSUPPORTED_TARGET",
  "UNSUPPORTED_CONVERSION",
  "INVALID_INPUT",
  "PASSWORD_REQUIRED",
  "INPUT_TOO_COMPLEX",
  "CONVERSION_FAILED",
  "CONVERSION_TIMEOUT",
  "IDEMPOTENCY_KEY_REUSED",
  "JOB_CANCELLED",
  "TOO_MANY_JOBS",
  "QUOTA_EXCEEDED",
  "OVERLOADED",
] as const;

export const convertUrlEndpoints = defineEndpoints({
  convertUrl: {
    method: "POST",
    path: "/api/v1/convert-url",
    summary: "Convert a file from an address",
    description:
      "Fetches the file and converts it as `POST /api/v1/convert` does, with the same headers, plans and answers. The address is one of the public internet on the port of its scheme, unless the operator allows others; redirects are followed, at most five.",
    access: "convert",
    body: {
      mediaType: "application/json",
      schema: {
        type: "object",
        required: ["url", "to"],
        additionalProperties: false,
        properties: {
          url: { type: "string", maxLength: 2000, description: "Where the file is.", examples: ["https://example.org/photo.jpg"] },
          to: { type: "string", minLength: 1, maxLength: 64, description: "Target format, as in `POST /convert`.", examples: ["webp"] },
          from: { type: "string", maxLength: 64, description: "Source format; overrides detection." },
          name: { type: "string", minLength: 1, maxLength: 255, description: "The file's name, where its server's is not good." },
          options: {
            type: "object",
            additionalProperties: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
            description: "Options of the conversion by name.",
          },
          deliverTo,
        },
      },
    },
    answers: { 200: job("The conversion is done."), 202: job("The job is still running; poll `status_url`.") },
    errors: [...conversionErrors, "NOT_FOUND"],
  },
});
