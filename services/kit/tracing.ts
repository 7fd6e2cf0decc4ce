/**
 * Spans of a request, from the gateway over RPC and the queue to each engine's run. Off, and nothing loaded, unless a tracer is set.
 * Only a request at the gateway begins a trace; what belongs to none is not told. Attributes never hold file names, content or keys.
 */
export type NewSpan = {
  readonly name: string;
  readonly kind?: "server" | "client";
  /** W3C traceparent of where it belongs; undefined or empty: to what runs. */
  readonly parent?: string | undefined;
  /** Begins a trace where there is nothing that it belongs to. */
  readonly isFirst?: boolean;
  readonly attributes?: Readonly<Record<string, string | number>>;
};

export type OpenSpan = {
  /** What runs in there belongs to the span, and what comes of it later. */
  run<T>(work: () => T): T;
  /** W3C traceparent of the span. */
  readonly asParent: string;
  end(outcome: { readonly failed: boolean; readonly attributes?: Readonly<Record<string, string | number>> }): void;
};

export type Tracer = {
  /** Undefined when it would belong to nothing. */
  open(span: NewSpan): OpenSpan | undefined;
  /** W3C traceparent of what runs; empty when there is none. */
  current(): string;
};

let tracer: Tracer | undefined;

/** Of this process. */
export function setTracer(given: Tracer | undefined): void {
  tracer = given;
}

export function openSpan(span: NewSpan): OpenSpan | undefined {
  return tracer?.open(span);
}

/** What runs now, for what is done later or elsewhere; empty when it is not traced. */
export function traceParent(): string {
  return tracer?.current() ?? "";
}

export async function traced<T>(span: NewSpan, work: () => Promise<T>): Promise<T> {
  const open = openSpan(span);
  if (open === undefined) return work();
  try {
    const result = await open.run(work);
    open.end({ failed: false });
    return result;
  } catch (error) {
    open.end({ failed: true });
    throw error;
  }
}
