/** Who sends traces and metrics by OTLP, and where to. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";

/** This process: what counts for itself has a name of its own. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME come over it. */
export const resource = resourceFromAttributes({
  "service.name": "filemill",
  "service.instance.id": randomUUID(),
  "host.name": hostname(),
}).merge(detectResources({ detectors: [envDetector] }));

/** @param endpoint - As OTEL_EXPORTER_OTLP_ENDPOINT has it: without the path of a signal. */
export function otlpUrl(endpoint: string, signal: "traces" | "metrics"): string {
  return `${endpoint.replace(/\/$/, "")}/v1/${signal}`;
}
