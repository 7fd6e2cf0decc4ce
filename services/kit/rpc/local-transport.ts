/** Calls to a service in this process. Messages are passed as objects, without serialising or HTTP (decision 12). */
import { create, type DescMessage, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createContextValues,
  createHandlerContext,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { abortable } from "../abortable.ts";
import type { Log } from "../log.ts";
import { errorInterceptor } from "./errors.ts";

/**
 * The same interceptors, deadlines, cancellation and errors as over the wire. Messages are frozen in transit, so that neither side can
 * change what the other has.
 */
export function localTransport(routes: (router: ConnectRouter) => void, log: Log): Transport {
  const methods = methodsOf(routes);
  const intercept = errorInterceptor(log);
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const call = openCall(method, { signal, timeoutMs, header, contextValues });
      try {
        call.request.signal.throwIfAborted();
        const handle = intercept(invoke(methods.get(method), call));
        const message = freezeMessage(create(method.input, input));
        const response = await call.unlessInterrupted(handle(Object.assign(call.request, { stream: false as const, method, message })));
        return response as UnaryResponse as never;
      } catch (error) {
        throw asReceived(error, call);
      } finally {
        call.end();
      }
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const call = openCall(method, { signal, timeoutMs, header, contextValues });
      try {
        call.request.signal.throwIfAborted();
        const handle = intercept(invoke(methods.get(method), call));
        const message = abortable(frozen(method.input, input), call.request.signal);
        const response = await call.unlessInterrupted(handle(Object.assign(call.request, { stream: true as const, method, message })));
        return { ...(response as StreamResponse), message: receive((response as StreamResponse).message, call) } as never;
      } catch (error) {
        const failure = asReceived(error, call);
        call.end();
        throw failure;
      }
    },
  };
}

function methodsOf(routes: (router: ConnectRouter) => void): ReadonlyMap<DescMethod, MethodImplSpec> {
  const methods = new Map<DescMethod, MethodImplSpec>();
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) methods.set(spec.method, spec);
      return router;
    },
    rpc(method, implementation) {
      methods.set(method, createMethodImplSpec(method, implementation as never));
      return router;
    },
  };
  routes(router);
  return methods;
}

type CallOptions = {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: ConstructorParameters<typeof Headers>[0];
  readonly contextValues: ContextValues | undefined;
};

type Call = {
  readonly request: Omit<UnaryRequest, "stream" | "method" | "message">;
  readonly context: HandlerContext;
  /** Rejects with the reason if the caller's signal or the deadline fires first. */
  unlessInterrupted<T>(answer: Promise<T>): Promise<T>;
  /** Fires the handler's signal, as the end of a remote call does. */
  end(): void;
};

/** Created once: creating an error records a stack, and nobody ever sees this one. */
const ended = new ConnectError("The call has ended.", Code.Canceled);

function openCall(method: DescMethod, { signal, timeoutMs, header, contextValues = createContextValues() }: CallOptions): Call {
  const service = method.parent;
  const place = { service, requestMethod: "POST", url: `local:///${service.typeName}/${method.name}`, contextValues };
  const context = createHandlerContext({
    ...{ ...place, method, protocolName: "local" },
    ...(signal === undefined ? {} : { requestSignal: signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(header === undefined ? {} : { requestHeader: header }),
  });
  const interrupted = Promise.withResolvers<never>();
  interrupted.promise.catch(() => undefined);
  context.signal.addEventListener("abort", () => interrupted.reject(context.signal.reason), { once: true });
  return {
    request: { ...place, signal: context.signal, header: context.requestHeader },
    context,
    unlessInterrupted: (answer) => Promise.race([interrupted.promise, answer]),
    end: () => context.abort(ended),
  };
}

/** The innermost step: the handler itself, whatever kind of call it is. */
function invoke(spec: MethodImplSpec | undefined, { context }: Call): ReturnType<Interceptor> {
  const { service, method } = context;
  return async ({ message }) => {
    if (spec === undefined) throw new ConnectError(`${service.typeName}/${method.name} is not served here.`, Code.Unimplemented);
    const { output } = spec.method;
    const head = {
      service,
      get header() {
        return context.responseHeader;
      },
      get trailer() {
        return context.responseTrailer;
      },
    };
    switch (spec.kind) {
      case "unary": {
        const answer = freezeMessage(create(output, await spec.impl(message as never, context)));
        return Object.assign(head, { stream: false as const, method: spec.method, message: answer });
      }
      case "client_streaming": {
        const answer = frozen(output, [await spec.impl(message as never, context)]);
        return { ...head, stream: true, method: spec.method, message: answer };
      }
      case "server_streaming": {
        const answers = frozen(output, spec.impl(await onlyOne(message as never), context));
        return { ...head, stream: true, method: spec.method, message: answers };
      }
      case "bidi_streaming":
        return { ...head, stream: true, method: spec.method, message: frozen(output, spec.impl(message as never, context)) };
    }
  };
}

async function* frozen<D extends DescMessage>(
  desc: D,
  messages: AsyncIterable<MessageInitShape<D>> | Iterable<MessageInitShape<D>>,
): AsyncGenerator<ReturnType<typeof create<D>>> {
  for await (const message of messages) yield freezeMessage(create(desc, message));
}

async function onlyOne<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new ConnectError("A request is missing.", Code.Unimplemented);
}

async function* receive<T>(messages: AsyncIterable<T>, call: Call): AsyncGenerator<T> {
  try {
    yield* abortable(messages, call.request.signal);
  } catch (error) {
    throw asReceived(error, call);
  } finally {
    call.end();
  }
}

/** Only what the wire carries of an error: neither its cause nor the handler's stack. */
function asReceived(error: unknown, { request: { signal } }: Call): ConnectError {
  const { rawMessage, code, metadata, details } = ConnectError.from(signal.aborted ? signal.reason : error, Code.Canceled);
  const received = new ConnectError(rawMessage, code, metadata);
  received.details = details;
  return received;
}

/**
 * Freezes a message and everything in it, except for bytes, which cannot be frozen. An object that is already frozen is assumed to be
 * deeply frozen.
 */
function freezeMessage<T>(message: T): T {
  if (typeof message !== "object" || message === null || Object.isFrozen(message) || ArrayBuffer.isView(message)) return message;
  Object.freeze(message);
  for (const part of Object.values(message)) freezeMessage(part);
  return message;
}
