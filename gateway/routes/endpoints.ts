import { mcpEndpoints } from "#gateway/mcp/endpoints.ts";
import { restEndpoints } from "#gateway/rest/endpoints.ts";
import { uploadEndpoints } from "#gateway/rest/uploads-endpoints.ts";
import { pageEndpoints } from "#gateway/web/endpoints.ts";
import { webhookEndpoints } from "#gateway/webhook/endpoints.ts";

/** The public REST API, with the pages and what they ask for. */
export const endpoints = { ...restEndpoints, ...uploadEndpoints, ...webhookEndpoints, ...mcpEndpoints, ...pageEndpoints };

export type EndpointId = keyof typeof endpoints;
