/** OpenTelemetry's own packages. Loaded only if an endpoint for traces is set. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Context,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { otlpUrl, resource } from "./otlp-resource.ts";
import { setTracer, type Tracer } from "./tracing.ts";

/** How long shutdown waits until the last spans are accepted. */
const lastWordsMs = 2000;
const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** @param endpoint - As in OTEL_EXPORTER_OTLP_ENDPOINT: without the path for traces. The exporter reads the related variables itself. */
export function startTracing(endpoint: string): AsyncDisposable {
  const exporter = new OTLPTraceExporter({ url: otlpUrl(endpoint, "traces") });
  const provider = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  setTracer(tracerOf(provider));
  return {
    async [Symbol.asyncDispose]() {
      setTracer(undefined);
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(lastWordsMs, undefined, { ref: false })]);
      context.disable();
    },
  };
}

function tracerOf(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer("filemill");
  const propagator = new W3CTraceContextPropagator();
  const parentOf = (of: Context): string => {
    const carrier: Record<string, string> = {};
    propagator.inject(of, carrier, defaultTextMapSetter);
    return carrier.traceparent ?? "";
  };
  const contextOf = (traceparent: string): Context => propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
  return {
    current: () => parentOf(context.active()),
    open({ name, kind, parent, isFirst = false, attributes = {} }) {
      const around = isFirst || parent ? contextOf(parent ?? "") : context.active();
      if (!isFirst && trace.getSpanContext(around) === undefined) return undefined;
      const span = tracer.startSpan(name, { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind], attributes }, around);
      const inside = trace.setSpan(around, span);
      return {
        run: (work) => context.with(inside, work),
        asParent: parentOf(inside),
        end({ failed, attributes: more = {} }) {
          span.setAttributes(more);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}
