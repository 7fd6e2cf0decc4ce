import { mcpEndpoints } from "#gateway/mcp/endpoints.ts";
import { restEndpoints } from "#gateway/rest/endpoints.ts";
import { uploadEndpoints } from "#gateway/rest/uploads-endpoints.ts";
import { pageEndpoints } from "#gateway/web/endpoints.ts";
import { webhookEndpoints } from "#gateway/webhook/endpoints.ts";

/** The endpoints of the REST API, webhooks, agents and pages. */
export const endpoints = { ...restEndpoints, ...uploadEndpoints, ...webhookEndpoints, ...mcpEndpoints, ...pageEndpoints };

export type EndpointId = keyof typeof endpoints;
