import { defineEndpoints, ref } from "#gateway/exchange/endpoint.ts";

const job = (description: string) => ({ description, mediaType: "application/json", schema: ref("JobAnswer") });

export const deliverTo = {
  type: "string",
  minLength: 1,
  maxLength: 8000,
  description:
    "An https URL, such as a pre-signed URL of an object store. When the job is done, the result is sent there by PUT, with Content-Type and Content-Length. Redirects are not followed. If there is no answer, or 408, 425, 429 or 5xx, the delivery is retried like a webhook. The job's `delivery` shows its state.",
  examples: ["https://bucket.s3.amazonaws.com/photo.webp?X-Amz-Signature=…"],
} as const;

/** The error codes of a conversion, whichever way the file comes in. */
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
    summary: "Convert a file from a URL",
    description:
      "Fetches the file and converts it like `POST /api/v1/convert`, with the same headers, plan limits and answers. The URL must be on the public internet and use the default port of its scheme, unless the operator allows others. Up to five redirects are followed.",
    access: "convert",
    body: {
      mediaType: "application/json",
      schema: {
        type: "object",
        required: ["url", "to"],
        additionalProperties: false,
        properties: {
          url: { type: "string", maxLength: 2000, description: "URL of the file.", examples: ["https://example.org/photo.jpg"] },
          to: { type: "string", minLength: 1, maxLength: 64, description: "Target format, as in `POST /convert`.", examples: ["webp"] },
          from: { type: "string", maxLength: 64, description: "Source format; overrides detection." },
          name: { type: "string", minLength: 1, maxLength: 255, description: "File name, to replace the one its server gives." },
          options: {
            type: "object",
            additionalProperties: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
            description: "Conversion options by name.",
          },
          deliverTo,
        },
      },
    },
    answers: { 200: job("The conversion is done."), 202: job("The job is still running; poll `status_url`.") },
    errors: [...conversionErrors, "NOT_FOUND"],
  },
});
