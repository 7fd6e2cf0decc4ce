/** Carries a trace over RPC: a header names the caller's span, which becomes the parent of the callee's. Streams are not traced. */
import type { Interceptor } from "@connectrpc/connect";
import { openSpan } from "../tracing.ts";

type Request = Parameters<ReturnType<Interceptor>>[0];

const header = "traceparent";
const nameOf = ({ service, method }: Request): string => `${service.typeName}/${method.name}`;

export const traceCall: Interceptor = (next) => (request) => {
  const span = request.stream ? undefined : openSpan({ name: nameOf(request), kind: "client" });
  if (span === undefined) return next(request);
  request.header.set(header, span.asParent);
  return ended(span, () => next(request));
};

export const traceHandler: Interceptor = (next) => (request) => {
  const parent = request.header.get(header);
  const span = request.stream || parent === null ? undefined : openSpan({ name: nameOf(request), kind: "server", parent });
  return span === undefined ? next(request) : ended(span, () => next(request));
};

async function ended<T>(span: NonNullable<ReturnType<typeof openSpan>>, call: () => Promise<T>): Promise<T> {
  let failed = true;
  try {
    const response = await span.run(call);
    failed = false;
    return response;
  } finally {
    span.end({ failed });
  }
}
