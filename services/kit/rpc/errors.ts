import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { FilemillError, toConnectError } from "#contract/errors.ts";
import type { Log } from "../log.ts";

/**
 * Turns whatever a handler throws into a ConnectError with ErrorInfo, the same for local and remote callers. The cause of a defect is
 * logged here and never sent to the caller.
 */
export function errorInterceptor(log: Log): Interceptor {
  const convert = (error: unknown, method: string, signal: AbortSignal): ConnectError => {
    if (signal.aborted && !(error instanceof FilemillError)) return ConnectError.from(signal.reason, Code.Canceled);
    if (
      !(error instanceof FilemillError || error instanceof ConnectError) ||
      (error instanceof FilemillError && error.code === "INTERNAL")
    ) {
      log.error("rpc.defect", { method, err: error });
    }
    return toConnectError(error);
  };
  return (next) => async (request) => {
    const method = `${request.service.typeName}/${request.method.name}`;
    try {
      const response = await next(request);
      if (!response.stream) return response;
      const messages = endedBy(request.signal, response.message);
      const guarded = async function* () {
        try {
          yield* messages;
        } catch (error) {
          throw convert(error, method, request.signal);
        }
      };
      return { ...response, message: guarded() };
    } catch (error) {
      throw convert(error, method, request.signal);
    }
  };
}

/**
 * Ends the handler's stream when the call is over. A caller in this process merely stops requesting values, so a handler that waits at a
 * `yield` would never reach its `finally`.
 */
async function* endedBy<T>(signal: AbortSignal, messages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const end = (): void => {
    iterator.return?.().catch(() => undefined);
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    for (;;) {
      const result = await iterator.next();
      if (result.done === true) break;
      yield result.value;
    }
    // The signal ended the stream, not the handler, so the caller must not mistake it for complete.
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", end);
  }
}
