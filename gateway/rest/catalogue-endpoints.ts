import { defineEndpoints, type Parameter, ref } from "#gateway/exchange/endpoint.ts";

const formatId: Pick<Parameter, "in" | "required"> = {
  in: "path",
  required: true,
};
const schemaLike = (example: string): Parameter["schema"] => ({ type: "string", minLength: 1, maxLength: 16, examples: [example] });

/** The endpoints that list available conversions. */
export const catalogueEndpoints = defineEndpoints({
  formats: {
    method: "GET",
    path: "/api/v1/formats",
    summary: "List what this deployment can convert",
    description:
      "Lists only the conversions whose engine is installed here and passed its probe. Can be cached for an hour; revalidate with the ETag.",
    access: "public",
    forPages: true,
    head: true,
    answers: {
      200: { description: "Formats and conversions.", mediaType: "application/json", schema: ref("Formats") },
      304: { description: "Unchanged." },
    },
    errors: [],
  },
  route: {
    method: "GET",
    path: "/api/v1/routes/{from}/{to}",
    summary: "Get the details of one conversion",
    description: "The steps with engine and version, the notes to expect on a result, the options, and recent run times.",
    access: "read",
    forPages: true,
    head: true,
    parameters: [
      { ...formatId, name: "from", description: "Source format: an id or a known extension.", schema: schemaLike("jpg") },
      { ...formatId, name: "to", description: "Target format: an id or a known extension.", schema: schemaLike("webp") },
    ],
    answers: { 200: { description: "The conversion.", mediaType: "application/json", schema: ref("RouteAnswer") } },
    errors: ["UNSUPPORTED_TARGET", "UNSUPPORTED_CONVERSION"],
  },
});
