/**
 * Spans of a request, from the gateway over RPC and the queue to each engine's run. Tracing is off, and nothing is loaded, unless a tracer
 * is set. Only a request at the gateway starts a trace. Work outside a trace is not reported. Attributes never contain file names, content
 * or keys.
 */
export type NewSpan = {
  readonly name: string;
  readonly kind?: "server" | "client";
  /** W3C traceparent of the parent span. Undefined or empty: the current span. */
  readonly parent?: string | undefined;
  /** Starts a trace if there is no parent. */
  readonly isFirst?: boolean;
  readonly attributes?: Readonly<Record<string, string | number>>;
};

export type OpenSpan = {
  /** Runs the work inside the span. Whatever the work starts belongs to the span too. */
  run<T>(work: () => T): T;
  /** W3C traceparent of the span. */
  readonly asParent: string;
  end(outcome: { readonly failed: boolean; readonly attributes?: Readonly<Record<string, string | number>> }): void;
};

export type Tracer = {
  /** Undefined if the span would have no parent. */
  open(span: NewSpan): OpenSpan | undefined;
  /** W3C traceparent of the current span; empty if there is none. */
  current(): string;
};

let tracer: Tracer | undefined;

/** Sets the tracer of this process. */
export function setTracer(given: Tracer | undefined): void {
  tracer = given;
}

export function openSpan(span: NewSpan): OpenSpan | undefined {
  return tracer?.open(span);
}

/** The current span, for work that happens later or elsewhere; empty if it is not traced. */
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
