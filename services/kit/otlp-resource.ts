/** Who sends traces and metrics by OTLP, and to which address. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";

/** Identifies this process; each process gets its own instance id. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME override it. */
export const resource = resourceFromAttributes({
  "service.name": "filemill",
  "service.instance.id": randomUUID(),
  "host.name": hostname(),
}).merge(detectResources({ detectors: [envDetector] }));

/** @param endpoint - As in OTEL_EXPORTER_OTLP_ENDPOINT: without the path of a signal. */
export function otlpUrl(endpoint: string, signal: "traces" | "metrics"): string {
  return `${endpoint.replace(/\/$/, "")}/v1/${signal}`;
}
