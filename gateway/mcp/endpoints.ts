import { defineEndpoints, type Parameter } from "#gateway/exchange/endpoint.ts";

/** Large enough for text that an agent wrote and sends in a message to be converted. */
const maxMessageBytes = 2 * 1024 * 1024;

const ticket: Parameter = {
  name: "ticket",
  in: "path",
  required: true,
  description: "The ticket, as a tool returned it.",
  schema: { type: "string" },
};

/** Endpoints for agents. Not in the API reference, because the tools' answers tell agents what they need. */
export const mcpEndpoints = defineEndpoints({
  mcp: {
    method: "POST",
    path: "/mcp",
    summary: "Model Context Protocol over streamable HTTP, stateless",
    access: "read",
    unlisted: true,
    body: { mediaType: "application/json", schema: { anyOf: [{ type: "object" }, { type: "array" }] }, maxBytes: maxMessageBytes },
    answers: { 200: { description: "A message.", mediaType: "application/json" }, 202: { description: "Taken." } },
    errors: [],
  },
  ticketUpload: {
    method: "PUT",
    path: "/mcp/uploads/{ticket}/{name}",
    summary: "Upload the file for a conversion that an agent requested",
    access: "convert",
    byTicket: "upload",
    unlisted: true,
    parameters: [ticket, { name: "name", in: "path", required: true, description: "The file's name.", schema: { type: "string" } }],
    body: { mediaType: "application/octet-stream", schema: { type: "string", format: "binary" } },
    answers: { 200: { description: "The job.", mediaType: "application/json" }, 202: { description: "The job is still running." } },
    errors: ["NOT_FOUND", "INPUT_TOO_LARGE", "INVALID_INPUT", "IDEMPOTENCY_KEY_REUSED"],
  },
  ticketDownload: {
    method: "GET",
    path: "/mcp/downloads/{ticket}",
    summary: "Download the result that a ticket is for",
    access: "read",
    byTicket: "download",
    unlisted: true,
    head: true,
    parameters: [ticket],
    answers: { 200: { description: "The bytes.", mediaType: "*/*" } },
    errors: ["NOT_FOUND", "JOB_NOT_FOUND", "RESULT_EXPIRED"],
  },
});
